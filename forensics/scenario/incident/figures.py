"""What was published about the incident, at full scale or with all lengths a hundredth; times are UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

MODEL: Final = "@cf/zai-org/glm-5.3"
AFFECTED: Final = 155
LAUNCH: Final = datetime(2026, 8, 27, 9, 0, tzinfo=UTC)
REPORTED: Final = datetime(2026, 9, 8, 15, 20, tzinfo=UTC)
REPRODUCED: Final = datetime(2026, 9, 9, 7, 35, tzinfo=UTC)
DECLARED: Final = datetime(2026, 9, 9, 8, 2, tzinfo=UTC)
UNLISTED: Final = datetime(2026, 9, 9, 8, 40, tzinfo=UTC)
RESTORED: Final = datetime(2026, 9, 9, 16, 0, tzinfo=UTC)
END: Final = datetime(2026, 9, 9, 20, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Figures:
    """Sizes in tokens. The engine rejects a prompt of ``limit`` tokens or more; the published wording says ``pool``."""

    context: int
    pool: int
    raised_pool: int
    fixed_pool: int
    decode_pool: int
    decode_pool_later: int
    narrow_decode_pool: int
    page_size: int
    least: int
    scale: float

    @property
    def limit(self) -> int:
        """The engine's ``max_req_input_len`` on the incident's prefill workers."""
        return self.pool - 6

    @property
    def boundary(self) -> range:
        """The lengths around the limit: one below it to one above the pool."""
        return range(self.limit - 1, self.pool + 2)


FULL: Final = Figures(
    context=1_048_576,
    pool=681_280,
    raised_pool=695_296,
    fixed_pool=2_041_856,
    decode_pool=1_114_112,
    decode_pool_later=1_146_880,
    narrow_decode_pool=868_352,
    page_size=64,
    least=240,
    scale=1.0,
)

SMALL: Final = Figures(
    context=10_485,
    pool=6_812,
    raised_pool=6_952,
    fixed_pool=20_418,
    decode_pool=11_136,
    decode_pool_later=11_456,
    narrow_decode_pool=8_672,
    page_size=4,
    least=240,
    scale=0.01,
)
