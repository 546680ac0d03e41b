"""How a model talks that reads other people's pages: sentences of theirs, in one of several manners.

The pages decide whose sentences there are to say; the manner is the scenario's choice. Only whole sentences of an
owner's records are said, so that a truth file can name them.
"""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from forensics.scenario import tokens
from forensics.scenario.exchanges import Exchange, Response, Words
from forensics.scenario.pool import StaleRun
from forensics.scenario.texts import Dossier


@dataclass(frozen=True)
class Heard:
    """What can be read of one owner in the pages: its tokens there, and its sentences that stand there whole.

    ``carried`` are whole words of third parties that an earlier answer had brought and the owner sent on.
    """

    owner: Exchange
    tokens: int
    sentences: tuple[str, ...]
    carried: tuple[Words, ...] = ()


def heard(runs: Sequence[StaleRun], exchanges: Mapping[str, Exchange]) -> list[Heard]:
    """Returns whose records can be read in ``runs``, most tokens first; owners of nothing legible are left out."""
    pieces: dict[str, list[str]] = {}
    amount: Counter[str] = Counter()
    for run in runs:
        if run.owner:
            pieces.setdefault(run.owner, []).append(_text_of(exchanges[run.owner], run))
            amount[run.owner] += run.tokens
    found = []
    for key, texts in pieces.items():
        owner = exchanges[key]
        sentences = tuple(
            sentence
            for item in owner.prompt.dossiers
            for sentence in item.sentences
            if any(_spelt(owner, sentence) in text for text in texts)
        )
        carried = tuple(word for word in owner.carried if any(word.output_text in text for text in texts))
        if sentences or carried:
            found.append(Heard(owner, amount[key], sentences, carried))
    return sorted(found, key=lambda item: (-item.tokens, item.owner.key))


def speak(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """Returns what ``reader``'s model answers with ``sources`` in its pages; ``own`` is what it should have said."""
    style = reader.plan.style
    if not sources or style == "incoherent":
        return Response(_salad(reader, rng))
    return _STYLES[style](reader, sources, own, rng)


def _verbatim(_reader: Exchange, sources: Sequence[Heard], _own: str, rng: random.Random) -> Response:
    words = _quoted(sources[0], 4, rng, "verbatim")
    return Response(_joined(words, sources[0]), words=words)


def _garbled(_reader: Exchange, sources: Sequence[Heard], _own: str, rng: random.Random) -> Response:
    words = tuple(
        replace(word, output_text=_noisy(word.source_text, rng), how="garbled")
        for word in _quoted(sources[0], 5, rng, "garbled")
    )
    return Response(_joined(words, sources[0]), words=words)


def _truncated(_reader: Exchange, sources: Sequence[Heard], _own: str, rng: random.Random) -> Response:
    words = _quoted(sources[0], 3, rng, "truncated")
    last = words[-1]
    kept = last.source_text[: len(last.source_text) * 2 // 3]
    words = (*words[:-1], replace(last, output_text=kept))
    return Response(_joined(words, sources[0]), finish="length", words=words)


def _mixed(_reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    words = _quoted(sources[0], 3, rng, "mixed")
    if len(sources) > 1:
        words += _quoted(sources[1], 1, rng, "mixed")
    head, _, tail = own.partition(". ")
    return Response(f"{head.rstrip('.')}. {_joined(words, sources[0])} {tail}".strip(), words=words)


def _paraphrased(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """Facts in other words; sentences where the pages hold none of the facts that a paraphrase would need."""
    source = sources[0]
    domain = source.owner.tenant.domain
    said: list[str] = []
    words: list[Words] = []
    for item in source.owner.prompt.dossiers:
        for template in domain.paraphrase:
            if len(said) < 3 and _known(template, item, source):
                said.append(template.format(**item.facts))
                words.append(Words(source.owner.key, " ".join(item.sentences), said[-1], "paraphrased"))
    if not said:
        return _verbatim(reader, sources, own, rng)
    rng.shuffle(said)
    return Response(" ".join(said), words=tuple(words))


def _thought(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """The foreign words stand in the reasoning; the visible answer is the reader's own."""
    quoted = _verbatim(reader, sources, own, rng)
    return Response(own, reasoning=quoted.content, words=tuple(replace(word, how="reasoning") for word in quoted.words))


def _called(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """The foreign words stand in a function call's arguments."""
    quoted = _verbatim(reader, sources, own, rng)
    arguments = json.dumps({"query": quoted.content}, ensure_ascii=False)
    return Response("", tool=("find_records", arguments), words=quoted.words)


def _chorus(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """Two sentences each of up to three owners, one after the other."""
    chosen = [source for source in sources if len(source.sentences) > 1][:3]
    if not chosen:
        return _verbatim(reader, sources, own, rng)
    words = tuple(word for source in chosen for word in _quoted(source, 2, rng, "chorus"))
    return Response(" ".join(word.output_text for word in words), words=words)


def _passed_on(reader: Exchange, sources: Sequence[Heard], own: str, rng: random.Random) -> Response:
    """What an owner had been told by mistake and sent on: the words are still their first owner's."""
    carried = next((source.carried for source in sources if source.carried), ())
    if not carried:
        return _verbatim(reader, sources, own, rng)
    words = tuple(replace(word, how="propagated") for word in carried)
    return Response(" ".join(word.output_text for word in words), words=words)


_STYLES = {
    "verbatim": _verbatim,
    "garbled": _garbled,
    "truncated": _truncated,
    "mixed": _mixed,
    "paraphrased": _paraphrased,
    "reasoning": _thought,
    "tool": _called,
    "chorus": _chorus,
    "passed_on": _passed_on,
}


def _quoted(source: Heard, number: int, rng: random.Random, how: str) -> tuple[Words, ...]:
    """Returns ``number`` sentences in a row, starting somewhere, of one owner."""
    start = rng.randrange(max(1, len(source.sentences) - number + 1))
    chosen = source.sentences[start : start + number]
    return tuple(Words(source.owner.key, sentence, sentence, how) for sentence in chosen)


def _joined(words: Sequence[Words], source: Heard) -> str:
    between = "" if source.owner.tenant.domain.language in ("ja", "zh") else " "
    return between.join(word.output_text for word in words)


def _noisy(sentence: str, rng: random.Random) -> str:
    """Returns ``sentence`` with about one word in seven doubled, dropped or turned; figures and names mostly stand."""
    if " " not in sentence:
        return "".join(char * 2 if rng.random() < 0.07 else char for char in sentence if rng.random() > 0.05)
    said: list[str] = []
    for word in sentence.split(" "):
        dice = rng.random()
        if dice < 0.06:
            continue
        said.append(word[1:2] + word[:1] + word[2:] if 0.06 <= dice < 0.09 and word.isalpha() else word)
        if dice > 0.93:
            said.append(word)
    return " ".join(said)


def _salad(reader: Exchange, rng: random.Random) -> str:
    salad = reader.tenant.domain.salad
    if " " not in salad:
        return "".join(rng.choices(salad, k=60))
    return " ".join(rng.choices(salad.split(), k=60))


def _known(template: str, item: Dossier, source: Heard) -> bool:
    """Whether every fact that ``template`` tells of ``item`` stands in a sentence that the pages still hold."""
    names = [part.split("}")[0] for part in template.split("{")[1:]]
    sentences = [sentence for sentence in item.sentences if sentence in source.sentences]
    return all(any(item.facts[name] in sentence for sentence in sentences) for name in names)


def _text_of(owner: Exchange, run: StaleRun) -> str:
    spans = tokens.spans(owner.full_text)[run.first : run.last]
    return owner.full_text[spans[0][0] : spans[-1][1]] if spans else ""


def _spelt(owner: Exchange, sentence: str) -> str:
    """A sentence as the owner's prompt spells it: inside a function result it is part of a JSON string."""
    return json.dumps(sentence, ensure_ascii=False)[1:-1] if owner.plan.layout == "tool" else sentence
