"""Local stamps to UTC, in one place: a query gives wall-clock time as if it were UTC, the case declares the zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

QUARTER = 900 * 10**9
"""Nanoseconds of a quarter of an hour: no zone changes its offset within one (tz database)."""

_LONGEST = 30 * 86_400 * 10**9
"""Nanoseconds; a request that is said to have taken longer is damage."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def needs_zone(records: pa.Table) -> bool:
    """Whether any record has a stamp of local time."""
    local = pc.and_(records["at_is_local"], pc.is_valid(records["at_ns"]))
    return bool(pc.any(local).as_py())


def lacks_year(records: pa.Table) -> bool:
    """Whether any record has a stamp that could not be placed in time."""
    return bool(pc.any(pc.and_(records["at_is_local"], pc.is_null(records["at_ns"]))).as_py())


def to_utc(records: pa.Table, zone: str | None) -> tuple[pa.Table, int]:
    """Returns ``records`` with ``at_ns`` in UTC and what follows from it, and how many stamps were ambiguous.

    Where a record says when it was received or finished by its own stamp only (by ``phase``, or ``latency_ns`` before
    it), ``received_ns`` and ``finished_ns`` are filled. In the hour that is repeated when summer time ends, the first
    pass is taken.
    """
    at, valid = _numbers(records["at_ns"])
    local = np.asarray(records["at_is_local"].to_numpy(zero_copy_only=False), dtype=bool) & valid
    ambiguous = 0
    if zone is not None and local.any():
        offsets, doubtful = _offsets(at[local] // QUARTER, ZoneInfo(zone))
        at[local] -= offsets
        ambiguous = int(doubtful.sum())
    latency, has_latency = _numbers(records["latency_ns"])
    # A stamp of whole seconds may be a second late: a latency counted back from it would feign precision.
    has_latency &= (latency >= 0) & (latency < _LONGEST) & (at % 1_000_000_000 != 0)
    phase = records["phase"].to_numpy(zero_copy_only=False)
    finished = phase == "finished"
    fill = {
        "received_ns": [(phase == "received", at, valid), (finished & has_latency, at - latency, valid)],
        "finished_ns": [(finished, at, valid)],
    }
    records = _set(records, "at_ns", at, valid)
    for name, sources in fill.items():
        value, known = _numbers(records[name])
        for where, source, has in sources:
            open_ = ~known & where & has
            value[open_], known[open_] = source[open_], True
        records = _set(records, name, value, known)
    return records.drop_columns(["at_is_local", "latency_ns"]), ambiguous


def _offsets(quarters: npt.NDArray[np.int64], zone: ZoneInfo) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Returns each quarter's offset from UTC in nanoseconds, and whether the wall clock shows it twice."""
    unique, index = np.unique(quarters, return_inverse=True)
    offsets = np.zeros(len(unique), dtype=np.int64)
    twice = np.zeros(len(unique), dtype=bool)
    for place, quarter in enumerate(unique):
        wall = (_EPOCH + timedelta(seconds=int(quarter) * 900)).replace(tzinfo=zone)
        first, second = wall.utcoffset(), wall.replace(fold=1).utcoffset()
        offsets[place] = round((first or timedelta()).total_seconds()) * 10**9
        twice[place] = first != second
    return offsets[index], twice[index]


def _numbers(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    valid = np.asarray(pc.is_valid(column).to_numpy(zero_copy_only=False), dtype=bool)
    filled = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
    return np.array(filled, dtype=np.int64), valid.copy()


def _set(records: pa.Table, name: str, value: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_]) -> pa.Table:
    place = records.schema.get_field_index(name)
    return records.set_column(place, name, pa.array(value, pa.int64(), mask=~valid))
