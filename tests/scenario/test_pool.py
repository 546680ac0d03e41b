"""The pool: which pages are handed out, and what they still hold."""

import pytest

from forensics.scenario.pool import PagedPool, PoolExhaustedError, StaleRun


def test_lowest_pages_first_and_merge_only_when_dry() -> None:
    pool = PagedPool(640, 64)
    first, second = pool.reserve("a", 128), pool.reserve("b", 64)
    assert (first.pages, second.pages) == ([0, 1], [2])
    pool.release(first)
    # Freed pages are parked: the next request gets fresh ones.
    assert pool.reserve("c", 64).pages == [3]
    # Until the free list cannot serve one; then they are merged and sorted.
    assert pool.reserve("d", 64 * 7).pages == [0, 1, 4, 5, 6, 7, 8]


def test_freed_pages_keep_what_was_written() -> None:
    pool = PagedPool(256, 64)
    old = pool.reserve("old", 200)
    pool.write(old, 0, 200)
    pool.release(old)
    new = pool.reserve("new", 250)
    pool.write(new, 0, 1)
    assert pool.foreign(new, 250) == [StaleRun("old", 1, 200, 1), StaleRun("", 200, 250, 200)]


def test_a_page_written_by_its_owner_is_not_foreign() -> None:
    pool = PagedPool(256, 64)
    lease = pool.reserve("a", 100)
    pool.write(lease, 0, 100)
    assert pool.foreign(lease, 100) == []


def test_late_write_lands_on_whoever_holds_the_pages() -> None:
    pool = PagedPool(256, 64)
    gone = pool.reserve("gone", 128)
    pool.release(gone)
    victim = pool.reserve("victim", 200)
    pool.write(victim, 0, 200)
    pool.write(gone, 0, 128)
    assert victim.pages[:2] != gone.pages or pool.foreign(victim, 200) == [StaleRun("gone", 0, 128, 0)]
    assert [run.owner for run in pool.foreign(victim, 200)] == ["gone"]


def test_extend_takes_pages_only_when_needed() -> None:
    pool = PagedPool(256, 64)
    lease = pool.reserve("a", 60)
    pool.extend(lease, 64)
    assert lease.pages == [0]
    pool.extend(lease, 65)
    assert lease.pages == [0, 1]
    assert pool.used == 2


def test_errors() -> None:
    pool = PagedPool(128, 64)
    with pytest.raises(PoolExhaustedError):
        pool.reserve("a", 129)
    lease = pool.reserve("a", 1)
    pool.release(lease)
    with pytest.raises(ValueError, match="released before"):
        pool.release(lease)
    with pytest.raises(ValueError, match="whole number"):
        PagedPool(100, 64)
