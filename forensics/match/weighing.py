"""Weighs what one text shares with the responses under examination: chooses chains, aligns them, combines facts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from forensics.match.beside import loose_passages
from forensics.match.chain import Run, chains, groups
from forensics.match.combine import FEWEST, combine
from forensics.match.garbled import beside
from forensics.match.normalise import fold
from forensics.match.passages import LISTED, Pair, passages, tenants_holding
from forensics.match.reading import Reader, Response, Shared
from forensics.match.seeds import Ints, Segments
from forensics.match.spans import Match, Places, Settings, Text
from forensics.match.weigh import ANCHOR, Scale, Weights

BAND: Final = 512  # bytes of diagonals whose runs are counted together before they are chained
EXTENSION: Final = 8_000  # milli-bits that aligning may add to what exact runs weigh
NEAR: Final = 60  # bytes beside a crowd of short runs that may belong to the passage
TOLD: Final = 16_000  # milli-bits that the short runs of a crowd say
LEAST_AROUND: Final = 32_000  # milli-bits that changed letters take from what stands in and beside a crowd


class Weighing:
    """What it takes to weigh any text that was read, once all were: it stays as it is, and can be sent to a process."""

    def __init__(
        self,
        ids: Sequence[str],
        responses: Sequence[Response],
        reader: Reader,
        settings: Settings,
        counted: Iterable[bool],
    ) -> None:
        """``reader`` has read every text and is settled; ``ids`` and ``responses`` are those it was made for.

        ``counted`` lists what the texts to be weighed are: ``Shared.counted``.
        """
        self._ids, self._responses, self._reader, self._settings = ids, responses, reader, settings
        self._offset = np.concatenate([[0], np.cumsum([len(r.folded) + 1 for r in responses])]).astype(np.int64)
        scales = [Scale(r.folded, r.words, settings.seed_bytes, reader.tenants) for r in responses]
        self._weights = {kind: self._weigh(scales, source_counted=kind) for kind in sorted(set(counted))}
        self._total = {kind: self._cumulate(weights) for kind, weights in self._weights.items()}

    def promising(self, shared: Shared) -> Shared | None:
        """Returns what a text shares with only those runs that could matter, or None if nothing could be found."""
        left = replace(shared, runs=self._worthwhile(shared), crowds=self._crowded(shared))
        return left if len(left.runs) or self._combined(left) or len(left.crowds) else None

    def matches(self, text: Text, shared: Shared) -> list[Match]:
        """Returns every passage that a response shares with the text; ``shared`` is what ``promising`` left of it."""
        found: list[Match] = []
        wanted = self._wanted(shared)
        if not wanted:
            return found
        folded = fold(text.text)
        holders = partial(tenants_holding, self._reader)
        for response, chosen in sorted(wanted.items()):
            mine = self._responses[response]
            pair = Pair(response, mine, self._weights[shared.counted][response], shared, text.text, folded)
            spans, told = passages(pair, chosen, holders, self._settings.gap, self._settings.least_bits_milli)
            spans += combine(self._reader, pair, told)
            crowds = shared.crowds[shared.crowds[:, 0] == response]
            spans = beside(spans, pair, crowds, holders, self._settings.least_bits_milli)
            found += [Match(self._ids[response], text.text_id, text.tenant, span) for span in spans]
        return found

    def loose_matches(self, text: Text, places: Places, shared: Shared) -> list[Match]:
        """Returns every passage that a response shares with a text whose characters are not known."""
        found: list[Match] = []
        nothing = fold("")
        holders = partial(tenants_holding, self._reader)
        for response, chosen in sorted(self._wanted(shared).items()):
            mine, weights = self._responses[response], self._weights[shared.counted][response]
            pair = Pair(response, mine, weights, shared, "", nothing, places=places)
            spans, told = loose_passages(pair, chosen, holders, self._settings.least_bits_milli)
            spans += combine(self._reader, pair, told)
            found += [Match(self._ids[response], text.text_id, text.tenant, span) for span in spans]
        return found

    def _weigh(self, scales: Sequence[Scale], *, source_counted: bool) -> list[Weights]:
        reader = self._reader
        grams, words = (reader.gram_ledger, reader.grams.at), (reader.word_ledger, reader.words.at)
        return [scale.weigh(n, grams, words, source_counted=source_counted) for n, scale in enumerate(scales)]

    def _cumulate(self, weights: Sequence[Weights]) -> tuple[Ints, Ints]:
        """Returns cumulated raw and net weights of all responses, one after another, for summing runs at once."""
        raw = [np.concatenate([[0], np.cumsum(w.raw)]) for w in weights]
        net = [np.concatenate([[0], np.cumsum(w.net)]) for w in weights]
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *raw]), np.concatenate([none, *net])

    def _wanted(self, shared: Shared) -> dict[int, list[list[Run]]]:
        """Returns, by response, the chains worth aligning (none where only facts are shared)."""
        wanted: dict[int, list[list[Run]]] = {}
        for response, runs in groups(shared.runs):
            chosen = self._chosen(response, shared, runs)
            if chosen:
                wanted[response] = chosen
        for response in (*self._combined(shared), *np.unique(shared.crowds[:, 0]).tolist()):
            wanted.setdefault(response, [])
        return wanted

    def _combined(self, shared: Shared) -> list[int]:
        """Returns the responses that share enough facts with a text for a combination."""
        responses, count = np.unique(self._reader.facts.response[np.unique(shared.fact_rows)], return_counts=True)
        enough: list[int] = responses[count >= FEWEST].tolist()
        return enough

    def _worthwhile(self, shared: Shared) -> Segments:
        """Returns the runs that, with those on nearby diagonals, could make a passage worth reporting or listing."""
        runs = shared.runs
        if not len(runs):
            return runs
        raw, net = self._total[shared.counted]
        first = self._offset[runs.response] + runs.at
        last = first + runs.length
        gain, listing = net[last] - net[first], raw[last] - raw[first]
        sizes = self._offset[runs.response + 1] - self._offset[runs.response]
        location = np.round(1000 * (np.log2(np.maximum(sizes, 2)) + math.log2(max(shared.size, 2)))).astype(np.int64)
        diagonal = runs.source_at - runs.at + int(self._offset[-1])
        near = np.zeros(len(runs), dtype=np.int64)
        for shift in (0, BAND // 2):
            _, band = np.unique(runs.response << 40 | (diagonal + shift) // BAND, return_inverse=True)
            near = np.maximum(near, np.bincount(band, weights=gain).astype(np.int64)[band])
        counts = (near > 0) & (near + ANCHOR + EXTENSION - location >= self._settings.least_bits_milli)
        return runs.pick(counts | (listing + ANCHOR - location >= LISTED))

    def _crowded(self, shared: Shared) -> Ints:
        """Returns the crowds of short runs that could make a passage worth reporting, by what nothing explains."""
        crowds = shared.crowds
        _, net = self._total[shared.counted]
        begin, end = self._offset[crowds[:, 0]], self._offset[crowds[:, 0] + 1] - 1
        first, last = begin + crowds[:, 1], begin + crowds[:, 2]
        told = (net[last] - net[first]) * crowds[:, 4] // (last - first)
        around = net[np.minimum(last + NEAR, end)] - net[np.maximum(first - NEAR, begin)]
        location = 1000 * (np.log2(np.maximum(end - begin, 2)) + math.log2(max(shared.size, 2)))
        kept: Ints = crowds[(told >= TOLD) & (around - location >= self._settings.least_bits_milli + LEAST_AROUND)]
        return kept

    def _chosen(self, response: int, shared: Shared, runs: Segments) -> list[list[Run]]:
        weights = self._weights[shared.counted][response]
        net = weights.net_total
        location = round(1000 * (math.log2(max(len(weights.raw), 2)) + math.log2(max(shared.size, 2))))
        least = self._settings.least_bits_milli + location - ANCHOR - EXTENSION
        chosen = []
        for chain in chains(runs, weights.raw_sums, self._settings.gap)[: self._settings.most_chains]:
            told = sum(net[a + n] - net[a] for a, _, n in chain.runs)
            if (told > 0 and told >= least) or chain.score + ANCHOR - location >= LISTED:
                chosen.append(list(chain.runs))
        return chosen
