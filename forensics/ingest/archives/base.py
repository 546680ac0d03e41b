"""What an archive gives: its members, one after another."""

from collections.abc import Generator
from dataclasses import dataclass

PIECE = 1 << 20
"""Bytes of a member per step."""


@dataclass
class Member:
    """One member as it comes by. ``name`` is as the archive spells it.

    Either ``content`` holds its bytes, which must be read before the next member, or ``link`` is the member that it
    stands for, or ``trouble`` says why it cannot be read and ``fix`` what to do. ``cut`` is set if its content ended
    early.
    """

    name: str
    content: Generator[bytes] | None = None
    link: str | None = None
    trouble: str | None = None
    fix: str | None = None
    cut: str | None = None


class Broken(Exception):  # noqa: N818 - what stood before the break is good
    """The archive cannot be read on from here; the text says why."""
