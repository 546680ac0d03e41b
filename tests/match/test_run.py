"""The match stage over small stories: who is named, what explains a passage away, and what completeness means."""

from pathlib import Path

import pytest

from forensics.errors import ForensicsError
from tests.match.story import Story, weights

LEAK = "Ottilie Brandmeyer transferred 48,213 crowns to account KZ-77310 on 14 March 2027 without telling the board."
OTHER = "The ferry to Skarholm leaves pier nine twice a day and carries forty bicycles besides its passengers."
LICENCE = (
    "Vendors shall deliver the goods within thirty days of the order, and any dispute arising from this agreement "
    "is settled by the chamber of arbitration in Lund under its simplified rules."
)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path)


def scan(con: object, name: str) -> dict[str, object]:
    cursor = con.execute("SELECT * FROM scan WHERE exchange_id = ?", [name])  # type: ignore[attr-defined]
    return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))


def test_names_the_exchange_whose_text_came_out(story: Story) -> None:
    story.exchange("a", "alder", f"Minutes of the week. {OTHER} Please summarise.", "A quiet week on the water.")
    story.exchange("b", "birch", f"Draft a memo. {LEAK} Keep it short.", "Here is the memo.")
    story.exchange("c", "cedar", "What is the weather in Lund?", f"Mild and dry. {LEAK} Take an umbrella.")
    story.suspect("c", "b", "a")
    report, con = story.run()
    found = weights(con, "c")
    assert set(found) == {"b"}
    assert found["b"] >= scan(con, "c")["confirmed_milli"]  # type: ignore[operator]
    begin, end, source_begin, source_end = con.execute(
        "SELECT response_start, response_end, source_start, source_end FROM match_span WHERE source_exchange_id = 'b'"
    ).fetchone() or (0, 0, 0, 0)
    assert f"Mild and dry. {LEAK} Take an umbrella."[begin:end] == LEAK
    assert f"Draft a memo. {LEAK} Keep it short."[source_begin:source_end] == LEAK
    assert report.examined == report.complete == 1


def test_what_the_recipient_sent_itself_is_explained(story: Story) -> None:
    story.exchange("a", "birch", f"Draft a memo. {LEAK}", "Done.")
    story.exchange("b", "cedar", f"Translate this. {LEAK}", "Later.")
    story.exchange("c", "cedar", "What did I send you?", f"You sent: {LEAK}")
    story.suspect("c", "b", "a")
    _, con = story.run()
    assert weights(con, "c").get("a", 0) == 0
    assert ("own_context",) in con.execute("SELECT explained_by FROM match_span WHERE exchange_id = 'c'").fetchall()


def test_an_answer_of_another_tenant_leaks_too(story: Story) -> None:
    story.exchange("a", "birch", "Who moved the money?", f"As far as I can see: {LEAK}")
    story.exchange("b", "cedar", "Good morning.", f"Good morning! {LEAK}")
    story.suspect("b", "a")
    _, con = story.run()
    assert con.execute("SELECT DISTINCT source_side FROM match_span").fetchall() == [("response",)]
    assert weights(con, "b")["a"] > 40_000


def test_text_that_many_tenants_hold_weighs_next_to_nothing(story: Story) -> None:
    for number in range(6):
        story.exchange(f"t{number}", f"tenant {number}", f"Our terms: {LICENCE}", "Noted.")
    story.exchange("z", "cedar", "What are usual terms?", f"Usually: {LICENCE}")
    story.suspect("z", *(f"t{number}" for number in range(5, -1, -1)))
    _, con = story.run()
    assert max(weights(con, "z").values(), default=0) < 12_000
    assert ("common",) in con.execute("SELECT DISTINCT explained_by FROM match_span").fetchall()


def test_one_source_read_by_many_recipients_is_no_boilerplate(story: Story) -> None:
    story.exchange("s", "birch", f"Draft a memo. {LEAK}", "Done.")
    for number in range(5):
        story.exchange(f"r{number}", f"reader {number}", "Hello?", f"Hello. {LEAK} Bye.")
        story.suspect(f"r{number}", "s", *(f"r{n}" for n in range(number)))
        story.exchange(
            f"h{number}", f"reader {number}", ["Hello?", f"Hello. {LEAK} Bye.", "What was that?"], "No idea."
        )
    _, con = story.run()
    for number in range(5):
        assert weights(con, f"r{number}")["s"] >= scan(con, f"r{number}")["confirmed_milli"]  # type: ignore[operator]


def test_declared_public_text_is_explained(tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text(LICENCE, encoding="utf-8")
    story = Story(tmp_path, declarations=f'public_text = ["{terms}"]\n')
    story.exchange("a", "birch", f"Our terms: {LICENCE}", "Noted.")
    story.exchange("b", "cedar", "What are usual terms?", f"Usually: {LICENCE}")
    story.suspect("b", "a")
    _, con = story.run()
    assert max(weights(con, "b").values(), default=0) < 12_000
    assert ("public",) in con.execute("SELECT DISTINCT explained_by FROM match_span").fetchall()


def test_a_public_text_that_is_missing_is_an_error(tmp_path: Path) -> None:
    story = Story(tmp_path, declarations='public_text = ["no-such-*.txt"]\n')
    story.exchange("a", "birch", "Hello", "Hello")
    with pytest.raises(ForensicsError, match="no such file"):
        story.run()


def test_a_paraphrase_is_found_by_its_facts_together(story: Story) -> None:
    for number in range(8):
        story.exchange(
            f"n{number}", f"tenant {number}", f"{OTHER} Dated {number + 2} May 2026. Mr Aldo Fenwick.", "Yes."
        )
    story.exchange("a", "birch", f"Draft a memo. {LEAK} It was ledger folio LF-2291 again.", "Done.")
    paraphrase = "On 14 March 2027 the sum of 48,213 left for KZ-77310; Ottilie Brandmeyer did it, says folio LF-2291."
    story.exchange("b", "cedar", "Tell me a story.", paraphrase)
    story.suspect("b", "a", *(f"n{number}" for number in range(8)))
    _, con = story.run()
    assert weights(con, "b")["a"] >= scan(con, "b")["probable_milli"]  # type: ignore[operator]
    assert ("facts",) in con.execute("SELECT kind FROM match_span WHERE source_exchange_id = 'a'").fetchall()
    assert max((w for source, w in weights(con, "b").items() if source != "a"), default=0) < 12_000


def test_noise_matches_nobody(story: Story) -> None:
    story.exchange("a", "birch", "the the the is is is 0 0 0 0 0 of of of of " * 20, "hello " * 200)
    story.exchange("b", "cedar", "Why?", "the the the the is is is 0 0 0 0 0 0 0 hello hello hello hello of of of of")
    story.suspect("b", "a")
    _, con = story.run()
    assert max(weights(con, "b").values(), default=0) < 12_000


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"response_state": "truncated"}, "response_truncated"),
        ({"response": None}, "response_missing"),
    ],
)
def test_an_incomplete_response_is_said(story: Story, how: dict[str, str | None], why: str) -> None:
    story.exchange("a", "birch", LEAK, "Done.")
    response = how.pop("response", "Nothing here.")
    story.exchange("b", "cedar", "Hello", response, **how)  # type: ignore[arg-type]
    story.suspect("b", "a", mechanism="late_write", status="possible")
    _, con = story.run()
    found = scan(con, "b")
    assert (found["complete"], found["missing_why"]) == (False, why)


def test_a_late_write_needs_the_prompt_of_its_source_only(story: Story) -> None:
    story.exchange("a", "birch", LEAK, None)
    story.exchange("b", "cedar", "Hello", "Hello yourself.")
    story.suspect("b", "a", mechanism="late_write", status="possible")
    story.exchange("c", "birch", LEAK, None, prompt_state="truncated")
    story.exchange("d", "cedar", "Hello", "Hello yourself.")
    story.suspect("d", "c", mechanism="late_write", status="possible")
    _, con = story.run()
    assert scan(con, "b")["complete"] is True
    assert scan(con, "d")["missing_why"] == "prompt_truncated"


def test_the_result_does_not_depend_on_threads(story: Story) -> None:
    story.exchange("a", "birch", f"{LEAK} {OTHER}", "Done.")
    story.exchange("b", "alder", f"{OTHER} {LICENCE}", "Done.")
    story.exchange("c", "cedar", "Hello", f"{OTHER} And then: {LEAK}")
    story.suspect("c", "b", "a")
    rows = [story.run(threads)[1].execute("SELECT * FROM match_span").fetchall() for threads in (1, 2)]
    assert rows[0] == rows[1]
    assert rows[0]


def test_well_known_passages_are_public_without_being_declared(story: Story) -> None:
    passage = "Shall I compare thee to a summer's day? Thou art more lovely and more temperate: Rough winds do shake."
    story.exchange("a", "birch", f"Explain this sonnet. {passage}", "Gladly.")
    story.exchange("b", "cedar", "Recite something.", f"Here you are: {passage}")
    story.suspect("b", "a")
    _, con = story.run()
    assert max(weights(con, "b").values(), default=0) < 12_000
    assert ("public",) in con.execute("SELECT DISTINCT explained_by FROM match_span").fetchall()


@pytest.mark.parametrize(
    "phrase",
    [
        "Please let me know if you have any further questions about this and I will be happy to help you.",
        "给您带来不便，我们深表歉意。如果您有任何其他问题，请随时与我联系。",
        "ご不便をおかけして申し訳ございません。ご不明な点がございましたら、お気軽にお問い合わせください。",
    ],
)
def test_polite_phrases_are_no_leak(story: Story, phrase: str) -> None:
    story.exchange("a", "birch", "Write a short letter.", f"The invoice is attached. {phrase}")
    story.exchange("b", "cedar", "How do I grow beans?", f"Beans need warm soil. {phrase}")
    story.suspect("b", "a")
    _, con = story.run()
    assert max(weights(con, "b").values(), default=0) < 12_000


PARAPHRASED = {
    "zh": (
        """商户蓝汀贸易在2026年11月17日凌晨02:49发生25笔相同金额的交易，每笔2,381元。调查员苏砚秋发现收货地址长虹路20号
        曾关联案件YFA7484/18。建议冻结余额84,394元，并在2026年3月25日前完成人工复核。""",
        "蓝汀贸易有25笔2,381元的可疑交易，时间为2026年11月17日。苏砚秋把它和YFA7484/18联系起来，84,394元应先冻结。",
    ),
    "ja": (
        """2026年4月3日に霧ヶ浜営業所で13時間の滞留が発生し、冷凍庫36号の警報停止が原因でした。損害見込みは3,291,470円、
        担当の御厨千鶴が荷主の鳴瀬精機と交渉中です。伝票番号はHBK2214/07、返答期限は2027年5月1日です。""",
        "御厨千鶴によれば、損害3,291,470円（HBK2214/07）は2026年4月3日に起き、2027年5月1日までに返事が要ります。",
    ),
    "ko": (
        """도가람 고객님이 2026년 6월 13일에 주문하신 무선 이어폰 23개가 한솔 물류센터에서 분실되었습니다. 결제 금액은
        1,943,850원이고 담당자 한도윤이 택배사에 보상 번호 DBJ8870/49로 접수했습니다.""",
        "보상 접수 DBJ8870/49: 한도윤 담당, 도가람 님의 2026년 6월 13일자 주문, 1,943,850원.",
    ),
    "de": (
        """Der Kunde Rheinwerk Pressen AG meldete am 13.11.2026 einen Schaden an der Anlage BKK4034/85. Ottmar Überschär
        schätzt die Reparatur auf 323.731 Euro.""",
        "BKK4034/85 gehört Rheinwerk Pressen AG; 323.731 Euro sagte Ottmar Überschär, gemeldet wurde es am 13.11.2026.",
    ),
}


@pytest.mark.parametrize("language", PARAPHRASED)
def test_paraphrases_in_other_scripts(story: Story, language: str) -> None:
    record, paraphrase = PARAPHRASED[language]
    for number in range(6):
        story.exchange(f"n{number}", f"tenant {number}", f"{OTHER} 2026年11月1{number}日, 13.11.2026, 23 Euro.", "OK.")
    story.exchange("a", "birch", f"[1] 2027-01-09. {record} (score 0.81)", "OK.")
    story.exchange("b", "cedar", "What is new?", f"The roof was mended. {paraphrase} Regards.")
    story.suspect("b", "a", *(f"n{number}" for number in range(6)))
    _, con = story.run()
    assert weights(con, "b")["a"] >= scan(con, "b")["probable_milli"] + 8_000  # type: ignore[operator]
    assert max((w for source, w in weights(con, "b").items() if source != "a"), default=0) < 12_000
