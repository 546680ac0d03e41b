"""Leaves out what an equal question explains: two tenants who sent the very same words get answers alike.

Such an answer was made of nothing that its tenant alone had sent, so finding it in the other's response shows nothing
of that tenant's. Equal is the whole prompt, instructions and earlier turns included, letter for letter as folded.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from forensics.match.kernel import Ints
from forensics.match.normalise import fold
from forensics.match.sweep.corpus import Corpus, fetch
from forensics.match.sweep.verify import Passage

LEAST: Final = 12  # letters of a prompt that explains: "go on" leaves open what is gone on with


def not_of_equal_questions(passages: Sequence[Passage], corpus: Corpus, digests: Ints) -> list[Passage]:
    """Returns the passages but for those out of an answer to what the recipient asked, too.

    ``digests[n]`` is a hash of text n (equal for equal texts): it says which prompts need to be read.
    """
    meta = corpus.meta
    rough = _by_exchange(corpus, digests)
    pairs = {
        (p.answer, p.source): (int(meta.exchange[p.answer]), int(meta.exchange[p.source]))
        for p in passages
        if not meta.prompt[p.source]
    }
    near = {pair for pair in pairs.values() if rough.get(pair[0]) == rough.get(pair[1])}
    asked = _asked(corpus, {exchange for pair in near for exchange in pair})
    equal = {
        key for key, (mine, theirs) in pairs.items()
        if (mine, theirs) in near and mine in asked and asked[mine] == asked.get(theirs)
    }  # fmt: skip
    return [p for p in passages if (p.answer, p.source) not in equal]


def _by_exchange(corpus: Corpus, digests: Ints) -> dict[int, int]:
    """Returns a hash of what was sent in each exchange."""
    prompts = np.flatnonzero(corpus.meta.prompt)
    exchanges, which = np.unique(corpus.meta.exchange[prompts], return_inverse=True)
    total = np.zeros(len(exchanges), dtype=np.int64)
    np.add.at(total, which, digests[prompts])
    return dict(zip(exchanges.tolist(), total.tolist(), strict=True))


def _asked(corpus: Corpus, exchanges: Iterable[int]) -> dict[int, bytes]:
    """Returns a digest of the letters that were sent in each of these exchanges, where they are enough."""
    meta = corpus.meta
    wanted = np.flatnonzero(meta.prompt & np.isin(meta.exchange, np.fromiter(exchanges, dtype=np.int64)))
    parts: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for number, text in fetch(corpus, wanted):
        parts[int(meta.exchange[number])].append((number, fold(text).data.tobytes()))
    letters = {exchange: b"".join(said for _, said in sorted(each)) for exchange, each in parts.items()}
    return {
        exchange: hashlib.sha256(said).digest()
        for exchange, said in letters.items()
        if len(said.decode("utf-8", "replace")) >= LEAST
    }
