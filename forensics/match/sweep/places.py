"""Where the kept seeds stand in the responses: counted, then listed, seed by seed."""

from typing import Any, Final

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, compiled
from forensics.match.sweep.seeding import seeds
from forensics.match.sweep.table import CAPPED, find, passes

PER_TENANT: Final = 8  # places of one seed in one tenant's responses of a shelf
PER_SHELF: Final = 128  # places of one seed in a shelf
PER_RESPONSE: Final = 2


@compiled
def list_places(
    data: Bytes,
    bounds: Ints,
    order: Ints,
    tenants: Ints,
    shift: Any,
    offsets: Any,
    cells: Any,
    bitmap: Any,
    holders: Bytes,
    recent: Any,
    listed: Any,
    starts: Any,
    places: Hashes,
) -> int:
    """Counts (``places`` empty) or writes the places of each kept seed in the responses ``order``; returns how many.

    ``order`` goes tenant by tenant; ``recent`` (int32, one row a seed: tenant + 1, response + 1, counts) is scratch and
    must be 0 at a shelf's beginning. ``listed[seed]`` counts; ``places[starts[seed] + …]`` holds
    the response's number in the upper and the byte in the lower half.
    """
    longest = 0
    for r in order:
        longest = max(longest, bounds[r + 1] - bounds[r])
    hashes, at = np.empty(longest + 1, dtype=np.uint64), np.empty(longest + 1, dtype=np.int32)
    total = 0
    for r in order:
        tenant = tenants[r]
        for k in range(seeds(data, bounds[r], bounds[r + 1], hashes, at)):
            if not passes(hashes[k], shift, bitmap):
                continue
            seed = find(hashes[k], shift, offsets, cells)
            if seed < 0 or holders[seed] >= CAPPED or not _wanted(recent, seed, tenant, r):
                continue
            if len(places):
                places[nb.int64(starts[seed]) + nb.int64(listed[seed])] = np.uint64(r) << np.uint64(32) | np.uint64(
                    at[k]
                )
            listed[seed] += np.uint32(1)
            total += 1
    return total


@compiled
def _wanted(recent: Any, seed: int, tenant: int, response: int) -> Any:
    """Notes one more occurrence of a seed; says whether it is still within the bounds."""
    counts = recent[seed, 2]
    in_response, in_tenant, in_shelf = counts & 0xF, counts >> 4 & 0xF, counts >> 8
    if recent[seed, 0] != tenant + 1:
        recent[seed, 0] = tenant + 1
        in_tenant = 0
    if recent[seed, 1] != response + 1:
        recent[seed, 1] = response + 1
        in_response = 0
    wanted = in_tenant < PER_TENANT and in_response < PER_RESPONSE and in_shelf < PER_SHELF
    if wanted:
        in_response, in_tenant, in_shelf = in_response + 1, in_tenant + 1, in_shelf + 1
    recent[seed, 2] = in_shelf << 8 | in_tenant << 4 | in_response
    return wanted
