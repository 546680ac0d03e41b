"""What a passage out of another tenant's answer says: answers resemble each other, whoever asked.

Models recite: proverbs, recipes, refusals, the head of a page of code. So a passage that two answers share can be
long and yet no leak, and the longer it is, the less a further letter says. How often answers to different questions
share a passage of some *raw* weight or more (letters at ``pricing.ALIKE``, places paid for) was counted on one half
of a corpus; ``docs/method.md`` has the figures. Each ``HALVING`` more makes it half as frequent.
"""

from typing import Final

HALVING: Final = 8_000  # milli-bits of raw weight
AT_ALL: Final = 17_000  # what a passage says that is worth nothing raw, in milli-bits: such a pair of texts is rare


def said(raw_milli: int) -> int:
    """Returns what a passage of this raw weight says, in milli-bits: log2 of how many pairs of texts share none."""
    return AT_ALL + raw_milli * 1000 // HALVING


def needed(milli: int) -> int:
    """Returns the least raw weight that says at least so much, in milli-bits; never less than that itself."""
    return max(milli, -(-(milli - AT_ALL) * HALVING // 1000))
