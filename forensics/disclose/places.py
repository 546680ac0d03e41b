"""What the letters know of texts: places in them, and digests over them."""

from dataclasses import dataclass

from forensics.disclose.tables import Row


@dataclass(frozen=True, order=True)
class Place:
    """A range of one text part of an exchange: code points, end exclusive."""

    exchange_id: str
    side: str
    part: int
    start: int
    end: int

    @classmethod
    def of(cls, row: Row) -> "Place":
        """Returns the place that a row of ``reports/told_range`` names."""
        return cls(*(row[f"source_{name}"] for name in ("exchange_id", "side", "part", "start", "end")))


@dataclass(frozen=True)
class Commitments:
    """HMAC-SHA-256 as hex: over whole responses by exchange, and over places. What was not kept in full has none."""

    responses: dict[str, str]
    places: dict[Place, str]
