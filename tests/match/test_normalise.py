"""Folding: what survives, and the map back to the original's characters."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.match.normalise import fold


def folded(text: str) -> str:
    return fold(text).data.tobytes().decode()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Straße, ﬁne — Ünïcode!", "strassefineunicode"),
        ("ＡＢＣ １２３ ①", "abc1231"),
        ("hid\u200bden\u202e text\ufeff", "hiddentext"),
        ("が か\u3099 ガ", "かかカ"),
        ("한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8", "한국어한국"),
        ("لِسَان ٣", "لسان٣"),
        ("हिन्दी", "हिन्दी"),
        ("ЁЖИК", "ежик"),
        ("\ud800ab\ufffdc\udfff", "abc"),
        ("", ""),
        ("… — !? \n\t", ""),
    ],
)
def test_what_survives(text: str, kept: str) -> None:
    assert folded(text) == kept


@pytest.mark.parametrize("text", ['Zeile\n"zwei" – 価格は500円。\tÉté 😀 한국', "a\\b/c"])
def test_json_escapes_fold_away_whatever_their_depth(text: str) -> None:
    once = json.dumps(text)[1:-1]
    twice = json.dumps(once)[1:-1]
    assert folded(once) == folded(twice) == folded(once.replace("\\", "\\\\\\\\"))
    if "\\" not in text:
        assert folded(once) == folded(text)


def test_an_escape_maps_to_all_of_its_characters() -> None:
    result = fold('x\\\\u00e9y\\ud842\\udfb7z"')
    spans = list(zip(result.start[result.lead].tolist(), result.end[result.lead].tolist(), strict=True))
    assert spans == [(0, 1), (1, 8), (8, 9), (9, 21), (21, 22)]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60) | st.text('aé ß\\n"u0123가ﬁİ\u0301\u1100\u1161ﷺ', max_size=40))
def test_the_map_is_in_order_and_inside_the_text(text: str) -> None:
    result = fold(text)
    assert len(result.start) == len(result.end) == len(result.data) == len(result.kind) == len(result.fresh)
    assert (result.start < result.end).all()
    if len(result):
        assert result.start[0] >= 0
        assert result.end[-1] <= len(text)
        assert (result.start[1:] >= result.start[:-1]).all()
    result.data.tobytes().decode()


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"]), max_size=40))
def test_composed_and_decomposed_fold_alike(text: str) -> None:
    assert folded(unicodedata.normalize("NFD", text)) == folded(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Tom &amp; J&uuml;rgen &lt;b&gt;&#8364;&nbsp;12&#x33;", "tomjurgenb123"),
        ("M&amp;uuml;ller", "muller"),  # a page within a page
        (r"M\u00fcller &amp;\n x", "mullerx"),
        ("&notanentity; a&b;c x = &y && z", "notanentityabcxyz"),
        ("&#0; &#xd800; &#x110000;", ""),
    ],
)
def test_entities_of_html_are_what_they_stand_for(text: str, kept: str) -> None:
    assert fold(text).spelling.decode() == kept


def test_an_entity_maps_to_all_of_its_characters() -> None:
    text = "a &uuml; b"
    folded = fold(text)
    assert [text[i:j] for i, j in zip(folded.start.tolist(), folded.end.tolist(), strict=True)] == ["a", "&uuml;", "b"]
