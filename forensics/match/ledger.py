"""Remembers, for every indexed gram of the responses, who else holds it: the recipient, public texts, which tenants."""

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.seeds import Ints

OWN, SOURCE, HOLDER, PUBLIC, TAINTED, NAMELESS = 1, 2, 4, 8, 16, 32
_TENANT_BITS: Final = 24
_MANY: Final = 64
_COMPACT: Final = 1 << 22

Flags = npt.NDArray[np.uint8]


class Ledger:
    """What is known of each row of one index. Tenants are small integers; beyond 64 of them a row is simply common."""

    def __init__(self, response: Ints, responses: int) -> None:
        """``response[row]`` is the response of each row; there are ``responses`` of them."""
        self.own = np.zeros(len(response), dtype=np.bool_)
        self.public = np.zeros(len(response), dtype=np.bool_)
        order = np.argsort(response, kind="stable")
        bounds = np.searchsorted(response[order], np.arange(responses + 1))
        self._rows = [order[low:high] for low, high in pairwise(bounds)]
        self._full = np.zeros(len(response), dtype=np.bool_)
        self._pending: list[Ints] = []
        self._waiting = 0
        self._pairs: Ints = np.empty(0, dtype=np.int64)
        self._count: Ints = np.zeros(len(response), dtype=np.int64)

    def rows(self, response: int) -> Ints:
        """Returns the rows of one response."""
        return self._rows[response]

    def note(self, rows: Ints, flags: Flags, tenant: int, *, distinct: bool = False) -> None:
        """Records one text's rows: ``flags[i]`` says in what capacity the text concerns the response of ``rows[i]``.

        ``distinct`` says that no row is listed twice.
        """
        self.own[rows[flags & OWN > 0]] = True
        self.public[rows[flags & PUBLIC > 0]] = True
        held = rows[(flags & HOLDER > 0) & ~self._full[rows]]
        if not distinct:
            held = np.unique(held)
        if len(held):
            self._pending.append((held << _TENANT_BITS) | tenant)
            self._waiting += len(held)
            if self._waiting > _COMPACT:
                self.settle()

    def settle(self) -> None:
        """Merges what is pending, so that memory follows the rows and their holders, not the texts read."""
        if self._pending:
            self._pairs = np.unique(np.concatenate([self._pairs, *self._pending]))
            self._pending, self._waiting = [], 0
            self._count = np.bincount(self._pairs >> _TENANT_BITS, minlength=len(self.own)).astype(np.int64)
            self._full = self._count >= _MANY

    def holders(self, rows: Ints, *, source_counted: bool) -> Ints:
        """Returns how many tenants beside the source hold each row, for rows that the source's text holds.

        ``source_counted`` says whether that text was itself noted as a holder's, or is of a tenant that no rule names:
        such a tenant may be any of the holders, so it must not make its own text look like common text.
        """
        counted: Ints = self._count[rows]
        return np.maximum(counted - 1, 0) if source_counted else counted

    def tenants(self, rows: Ints) -> tuple[Ints, Ints]:
        """Returns (position in ``rows``, tenant) for every holder of the rows."""
        low = np.searchsorted(self._pairs, rows << _TENANT_BITS)
        high = np.searchsorted(self._pairs, (rows + 1) << _TENANT_BITS)
        count = high - low
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        found = self._pairs[np.repeat(low, count) + step]
        return np.repeat(np.arange(len(rows)), count), found & ((1 << _TENANT_BITS) - 1)
