"""What each tenant is told, and what it must never be told."""

import csv
import hashlib
import hmac
import html
import os
import re
from pathlib import Path

import pytest

from forensics.disclose import letters
from forensics.disclose.keys import open_keys
from forensics.disclose.run import report
from forensics.errors import ForensicsError

from .conftest import NOW, Run
from .world import World, incident, marker

GOLDEN = Path(__file__).parent / "golden"


def test_a_marker_of_one_tenant_stands_in_no_file_of_another(run: Run) -> None:
    told = run.letters()
    for row in incident().rows["exchange"]:
        for tenant, files in told.items():
            for text in files.values():
                assert marker(row["tenant"]) not in text
                if tenant != row["tenant"]:
                    assert row["request_id"] not in text
                    assert row["tenant"] not in text


def test_each_tenant_is_told_its_part(run: Run) -> None:
    told = {each["tenant"]: each for each in run.json("letters.json")["letters"]}
    assert {tenant: each["roles"] for tenant, each in told.items()} == {
        "acme": ["recipient", "source", "possible_source"],
        "borealis gmbh": ["recipient", "source"],
        "cobalt": ["recipient"],
        "drift": ["recipient"],
        "erin": ["recipient"],
        "own-lab": ["recipient"],
        "quiet ltd": ["possible_source"],
    }
    assert told["acme"]["owned"] == 4
    assert told["drift"]["undetermined"] == 3


def test_a_recipient_learns_neither_kind_nor_place_nor_length_of_what_is_foreign(run: Run) -> None:
    table = list(csv.DictReader(run.letters()["cobalt"]["requests.csv"].splitlines()))
    assert len(table) == 2
    for row in table:
        assert row["part"] == "answer received"
        assert not any(row[name] for name in ("side", "message_index", "field", "start", "end"))
    assert "characters 5 to 45" not in run.letters()["cobalt"]["letter.txt"]


def test_every_commitment_can_be_checked_with_the_key_in_the_letter(run: Run) -> None:
    world, told = incident(), run.letters()
    (stated,) = re.findall(r"under the key\s+([0-9a-f]{64})", told["acme"]["letter.txt"])
    key = bytes.fromhex(stated)
    texts = {(f"f0:{each['byte_offset']}:0", each["side"]): each["text"] for each in world.texts}
    ids = {row["request_id"]: row["exchange_id"] for row in world.rows["exchange"]}
    rows = [row for row in csv.DictReader(told["acme"]["requests.csv"].splitlines()) if row["hmac_sha256"]]
    assert {row["part"] for row in rows} == {"answer received", "place in own text"}
    for row in rows:
        side = row["side"] or "response"
        text = texts[ids[row["request_id"]], side]
        part = text[int(row["start"]) : int(row["end"])] if row["start"] else text
        assert row["hmac_sha256"] == hmac.digest(key, part.encode(), "sha256").hex()


def test_no_unsalted_hash_and_no_key_of_another_leaves_the_case(run: Run) -> None:
    keys, told = open_keys(run.case), run.letters()
    digests = {hashlib.sha256(each["text"].encode()).hexdigest() for each in incident().texts}
    for tenant, files in told.items():
        whole = "".join(files.values())
        assert (keys.of(tenant).hex() in whole) == ("HMAC " in whole)
        assert not any(keys.of(other).hex() in whole for other in told if other != tenant)
        assert not any(digest in whole for digest in digests)
    assert (run.case.root / "keys.json").exists()
    assert not any(keys.of(tenant).hex() in run.text("letters.json") + run.text("run.json") for tenant in told)


def test_keys_are_made_once_and_for_their_owner_only(tmp_path: Path) -> None:
    case = incident().build(tmp_path / "case")
    (case.root / "keys.json").unlink()
    first = open_keys(case)
    assert open_keys(case) == first
    assert (case.root / "keys.json").stat().st_mode & 0o777 == 0o600
    assert first.of("a") != first.of("b")


def test_possible_sources_are_told_only_where_the_case_declares_it(tmp_path: Path) -> None:
    world = incident()
    case = world.build(tmp_path / "case")
    declared = (case.root / "case.toml").read_text(encoding="utf-8")
    (case.root / "case.toml").write_text(declared + "tell_possible_sources = false\n", encoding="utf-8")
    quiet = type(case).open(case.root)
    found = Run(quiet, report(quiet, now=NOW)).json("letters.json")
    assert "quiet ltd" not in [each["tenant"] for each in found["letters"]]
    assert {"quiet ltd", "only unknown"} == {each["tenant"] for each in found["not_told"]}


def test_text_and_html_say_the_same(run: Run) -> None:
    for files in run.letters().values():
        shown = html.unescape(
            re.sub(r"<style>.*?</style>|<title>.*?</title>|<[^>]+>", " ", files["letter.html"], flags=re.S)
        )
        plain = set(re.findall(r"\w+", files["letter.txt"].lower())) - {"from"}
        assert plain <= set(re.findall(r"\w+", shown.lower())), plain - set(re.findall(r"\w+", shown.lower()))


def test_letters_promise_nothing_that_was_not_looked_for(run: Run) -> None:
    for files in run.letters().values():
        said = " ".join(files["letter.txt"].split()).lower()
        assert "no evidence" not in said
        assert "decode-0" not in said
        assert "prefill" not in said
        assert "glm" not in said


def test_only_allow_listed_values_fill_a_letter(run: Run) -> None:
    parts = (letters.Letter, letters.Received, letters.Owned, letters.Possible, letters.OwnRange, letters.Why)
    kinds = {kind for part in parts for kind in letters._kinds(part).values() if kind}
    assert kinds <= set(letters._CHECKS)
    why = letters.Why("<b>no code</b>", 1)
    with pytest.raises(ForensicsError, match="'reason' is not a code"):
        letters._checked(why)


@pytest.mark.parametrize("tenant", ["acme", "cobalt", "drift", "quiet ltd"])
@pytest.mark.parametrize("name", ["letter.txt", "letter.html"])
def test_whole_letters_are_as_reviewed(run: Run, tenant: str, name: str) -> None:
    """``GOLDEN=write pytest tests/disclose`` rewrites them; the diff is to be read."""
    path = GOLDEN / f"{tenant.replace(' ', '-')}.{name.rsplit('.', 1)[-1]}"
    found = run.letters()[tenant][name].replace(run.json("run.json")["manifest_hash"], "<manifest hash>")
    if os.environ.get("GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


HOSTILE = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "markdown": "[click](javascript:alert(1)) ![x](http://evil.example/x.png) | cell | `code`",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "terminal": "\x1b[31mred\x1b]0;title\x07\x9b2J",
    "jinja": "{{ 7 * 7 }}{% for x in ().__class__.__mro__ %}{{ x }}{% endfor %}",
    "path": "../../../../etc/passwd",
    "lines": "one\r\ntwo\u2028three\u202egnp.exe",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    world = World()
    world.file(path="logs/<b>|x|=1+1\x1b[2J.jsonl")
    sources = {
        name: world.exchange(f"{text} {name}", request_id=f"{text} {name}-source") for name, text in HOSTILE.items()
    }
    for name, text in HOSTILE.items():
        key = world.exchange(
            f"{text} {name} victim", "affected/confirmed", mechanism="over_pool", over_pool="answered",
            request_id=f"{text} {name}-victim",
        )  # fmt: skip
        world.suspect(key, "over_pool", "established", "answered")
        world.leak(key, sources[name])
    case = world.build(tmp_path_factory.mktemp("hostile") / "case")
    return Run(case, report(case, now=NOW))


def test_hostile_names_and_ids_are_inert_in_every_document(hostile: Run) -> None:
    assert len(hostile.letters()) == 2 * len(HOSTILE)
    for path in sorted(each for each in hostile.folder.rglob("*") if each.is_file()):
        assert path.resolve().is_relative_to(hostile.folder.resolve())
        text = path.read_text(encoding="utf-8")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text), path.name
        if path.suffix == ".html":
            assert not re.search(r"<(script|img|iframe|object|link)\b|<a (?!href=\"#)", text)
        if path.suffix == ".md":
            assert "<script" not in text.replace("\\<", "")
            assert not re.search(r"(?<!\\)\]\(", text)
            assert not re.search(r"https?://", text)
        if path.suffix == ".csv":
            for row in csv.reader(text.splitlines()):
                assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
        assert "49" not in re.findall(r"7 \* 7|49(?= %)", text)


def test_letters_lie_in_folders_with_harmless_names(hostile: Run) -> None:
    for each in hostile.json("letters.json")["letters"]:
        assert re.fullmatch(r"letters/customer/[a-z0-9-]{1,60}", each["folder"])
