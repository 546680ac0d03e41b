"""What an outsider's report is understood to say."""

from pathlib import Path

import pytest

from forensics.errors import ForensicsError
from forensics.intake.reading import parse_report, read_report
from forensics.intake.sighting import Sighting

TOML = """
reporter = "Outis Research"
reference = "BB-17"
[[sighting]]
id = "chatcmpl-0123456789"
at = 2026-10-06T08:52:10Z
excerpt = "a crate of walnut legs"
[[sighting]]
ids = ["9f1c2b7a9f1c2b7a9f1c2b7a9f1c2b7a"]
at = "2026-10-06T10:52:10+02:00"
until = "2026-10-06T11:00:00+02:00"
model = "kestrel-70b"
"""
MAIL = """Hi,

on 2026-10-06 08:52:10 UTC I sent my own contract and got, in chatcmpl-aQ7Zk2LmN8p4, this:

> The tenancy of Skalnor Fengis ended after the boiler failed,
> and the deposit goes to account 4471902265.

I never wrote that. The next one, chatcmpl-bR8Yk3, said \u201cLetters that came back were sent on to kalis.\u201d
"""


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    first, second = parse_report(TOML, "r.toml", "00", "toml").sightings
    at = 1_791_276_730 * 10**9
    assert first == Sighting(("chatcmpl-0123456789",), at, excerpt="a crate of walnut legs")
    assert (second.at_ns, second.until_ns, second.model) == (at, at + 470 * 10**9, "kestrel-70b")
    text = '{"sighting": [{"id": "x-1", "at": "2026-10-06T08:52:10Z", "note": "seen twice"}]}'
    path = tmp_path / "report"
    path.write_text(text, encoding="utf-8")
    assert read_report(path).sightings == (Sighting(("x-1",), at, note="seen twice"),)


def test_plain_text_is_recognised() -> None:
    first, second = parse_report(MAIL, "mail.txt", "00", "text").sightings
    assert first.ids == ("chatcmpl-aQ7Zk2LmN8p4",)
    assert first.at_ns == first.until_ns == 1_791_276_730 * 10**9
    assert first.excerpt.startswith("The tenancy of Skalnor Fengis")
    assert "4471902265" in first.excerpt
    assert second.ids == ("chatcmpl-bR8Yk3",)
    assert second.excerpt == "Letters that came back were sent on to kalis."


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("nothing to see", "text", "no id, time or excerpt"),
        ("[[sighting]]\nidd = 'x'\n", "toml", "unknown key 'idd'"),
        ("[[sighting]]\nat = 2026-10-06T08:52:10\n", "toml", "no time with a zone"),
        ("[[sighting]]\nmodel = 'm'\n", "toml", "has no id, time or excerpt"),
        ("reporter = 'x'\n", "toml", "there is no [[sighting]]"),
        ('{"sighting": [', "json", "not valid JSON"),
        ("[[sighting]]\nid = '" + "x" * 500 + "'\n", "toml", "more than 400 characters"),
        ("[[sighting]]\nexcerpt = '" + "x" * 20_001 + "'\n", "toml", "at most 20,000"),
        ("[[sighting]]\nids = [1]\n", "toml", "no list of texts"),
        ("[" * 5000, "json", "not valid JSON"),
    ],
)
def test_what_cannot_be_taken_in_is_said(text: str, kind: str, said: str) -> None:
    with pytest.raises(ForensicsError) as wrong:
        parse_report(text, "report", "00", kind)
    assert said in str(wrong.value)
    assert wrong.value.where == "report"
