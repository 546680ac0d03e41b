"""What the controls of an analysis came to, as counts and as the sentences that stand beside the headline."""

from collections.abc import Sequence
from typing import Any

from forensics.disclose.tables import Row


def controls(found: Sequence[Row]) -> dict[str, Any]:
    """Returns the counts of ``rows(…, "control")``; ``recall_milli`` is in 1/1000, None where nothing was planted.

    ``negative`` are planted exchanges of which nothing may be found, ``shuffled`` real ones that no mechanism touched,
    with neighbours that cannot have been theirs.
    """
    positive = [row for row in found if row["kind"] == "positive"]
    planted, hit = _sums(positive)
    rules = sorted({row["rule"] for row in positive})
    result: dict[str, Any] = {
        "planted": planted,
        "found": hit,
        "recall_milli": 1000 * hit // planted if planted else None,
        "by_rule": {rule: list(_sums([row for row in positive if row["rule"] == rule])) for rule in rules},
        "negative": list(_sums([row for row in found if row["kind"] == "negative"])),
        "shuffled": list(_sums([row for row in found if row["kind"] == "shuffled"])),
        "without": [row["name"] for row in found if row["kind"] == "without"],
        "formats": [row["name"] for row in found if row["kind"] == "format" and row["found"]],
        "formats_not_written": [row["name"] for row in found if row["kind"] == "format" and not row["found"]],
    }
    return {"said": _said(result), **result}


def _sums(found: Sequence[Row]) -> tuple[int, int]:
    return sum(row["planted"] for row in found), sum(row["found"] for row in found)


def _said(counts: dict[str, Any]) -> str:
    if not counts["planted"]:
        return "Controls: none were run, so nothing shows that the rules could have found anything."
    milli = counts["recall_milli"]
    recall = f"{milli // 1000}.{milli % 1000:03}"
    said = [f"Controls: {counts['found']:,} of {counts['planted']:,} planted exchanges were found (recall {recall})."]
    negative, shuffled = counts["negative"], counts["shuffled"]
    if negative[0]:
        said.append(f"Where nothing can be found, {negative[1]:,} of {negative[0]:,} planted were.")
    if shuffled[0]:
        said.append(
            f"Text of neighbours that cannot have been theirs was found in {shuffled[1]:,} of {shuffled[0]:,} "
            "untouched responses."
        )
    if counts["without"]:
        said.append(f"No control puts to the test: {', '.join(name.replace('_', ' ') for name in counts['without'])}.")
    if counts["formats_not_written"]:
        said.append(f"Controls cannot be written in {', '.join(counts['formats_not_written'])}.")
    return " ".join(said)
