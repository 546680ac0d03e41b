"""The headline: one sentence with the count, its parts, its unknowns and its denominators."""

from typing import Any

# How a mechanism's responses are counted: by records that establish it, or by text found where it was possible.
_BY_TEXT = "by text found where the mechanism was possible"
_BY_EITHER = "by records, or by text found where the mechanism was possible"
COUNTED_BY = {
    "over_pool": "by mechanism",
    "late_write": _BY_TEXT,
    "kv_checksum": _BY_TEXT,
    "transfer_mismatch": _BY_EITHER,
    "page_lifetime": _BY_EITHER,
    "gateway_mixup": _BY_EITHER,
    "kv_canary": _BY_EITHER,
    "metadata_collision": _BY_EITHER,
    "canary": _BY_EITHER,
    "answer_mismatch": _BY_TEXT,
}
LABELS = {
    "over_pool": "over-pool",
    "gateway_mixup": "gateway mix-up",
    "kv_checksum": "KV checksum",
    "kv_canary": "KV canary",
}


def headline(summary: dict[str, Any]) -> str:
    """Returns the headline of ``summary``: plain text, several sentences, no tenant's name in it.

    The unit is one response of which the client got at least one byte. It counts customers and unresolved tenants;
    what internal and researcher tenants got is said beside it.
    """
    sentences = [
        _scope(summary),
        _affected(summary),
        _undetermined(summary),
        _over_pool(summary["over_pool"]),
        _boundary(summary["boundary"]),
        _beside(summary),
        _outside(summary),
        f"{_number(summary['examined'], 'exchange')} examined.",
    ]
    if summary["basis"] == "metadata":
        sentences.append(
            "This is a count from metadata alone: no text was read, so what the affected responses hold, "
            "and mechanisms that only text can show, were not examined."
        )
    return " ".join(each for each in sentences if each)


def _scope(summary: dict[str, Any]) -> str:
    """What a count from one side's records is worth; empty for a provider, who has all of them."""
    bounds = summary["bounds"]
    lacks = "; ".join(f"{each['missing']} (would show {each['would_show']})" for each in summary["missing"])
    more = f" Missing to prove more: {lacks}." if lacks else ""
    if summary["scope"] == "gateway":
        return (
            f"From a gateway's records alone: at least {bounds['certain']:,} and at most {bounds['possible']:,} of the "
            f"responses that it recorded are affected, {bounds['at_risk']:,} of them by a mechanism that is at least "
            f"possible{_unrecorded(bounds['unrecorded'])}.{more}"
        )
    if summary["scope"] == "one-tenant":
        return (
            f"From one tenant's own records: {_number(bounds['at_risk'], 'call')} at risk, "
            f"{_number(summary['own_unexplained'], 'answer')} with names and figures that nothing of its own explains. "
            f"These records cannot show that any response was not affected.{more}"
        )
    return ""


def _unrecorded(count: int) -> str:
    """What is open for want of engines' logs alone; empty where that is of none."""
    if not count:
        return ""
    return f", and {count:,} for nothing but that no log shows what their engines printed"


def parts(counts: dict[str, int]) -> str:
    """Returns ``38 placement_unknown, 4 limits_unknown``: the largest first, none that is zero."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered if count)


def _affected(summary: dict[str, Any]) -> str:
    found = _number(summary["affected"], "affected response")
    mechanisms = {name: count for name, count in summary["affected_by_mechanism"].items() if count}
    if not mechanisms:
        looked = ", ".join(_label(name) for name in summary["affected_by_mechanism"])
        return f"{found}{f' ({looked} looked for)' if looked else ''}."
    if len(mechanisms) == 1:
        named = _mechanism(next(iter(mechanisms)))
    else:
        each = [f"{count:,} {_mechanism(name)}" for name, count in mechanisms.items()]
        named = f"a total over mechanisms: {'; '.join(each)}"
    held = _disclosure(summary)
    return f"{found} ({named}): {held}."


def _disclosure(summary: dict[str, Any]) -> str:
    disclosure = summary["disclosure"]
    confirmed, probable = disclosure["confirmed"], disclosure["probable"]
    told = []
    if confirmed + probable:
        verb = "carries" if confirmed + probable == 1 else "carry"
        graded = parts({"confirmed": confirmed, "probable": probable})
        told.append(f"{confirmed + probable:,} {verb} another tenant's text ({graded})")
    if disclosure["none_found"]:
        told.append(f"{disclosure['none_found']:,} scanned with none found")
    if disclosure["undetermined"]:
        told.append(f"{disclosure['undetermined']:,} undetermined ({parts(summary['disclosure_undetermined'])})")
    if summary["disclosure_not_examined"]:
        told.append(f"{summary['disclosure_not_examined']:,} not examined for what they hold")
    return ", ".join(told)


def _undetermined(summary: dict[str, Any]) -> str:
    reasons = summary["undetermined"]
    count = sum(reasons.values())
    if not count:
        return "No response whose integrity is undetermined."
    return f"Beyond these, {_number(count, 'response')} whose integrity is undetermined ({parts(reasons)})."


def _over_pool(counts: dict[str, int]) -> str:
    if not counts["total"]:
        return ""
    said = [
        f"{counts['answered']:,} answered",
        f"{counts['refused']:,} refused",
        f"{counts['no_output']:,} ended before a byte",
    ]
    if counts["truncated"]:
        said.append(f"{counts['truncated']:,} truncated by the engine")
    return f"{_number(counts['total'], 'over-pool request')} in all, of every class of tenant: {', '.join(said)}."


def _boundary(band: dict[str, Any]) -> str:
    if not band["answered"] or band["lowest_limit"] is None:
        return ""
    limit, pool = _span(band["lowest_limit"], band["highest_limit"]), _span(band["lowest_pool"], band["highest_pool"])
    said = (
        f"By the engine's predicate (at least {limit} tokens) {band['by_predicate']:,} of the affected are over-pool, "
        f"by the wording 'longer than the pool' ({pool}) {band['by_wording']:,}; {band['in_band']:,} lie between"
    )
    if band["unknown"]:
        said += f", and of {band['unknown']:,} the limit or the length is not known"
    return f"{said} (tokens as the engine counted them)."


def _beside(summary: dict[str, Any]) -> str:
    classes = summary["affected_by_class"]
    others = {name: count for name, count in classes.items() if name not in ("customer", "unresolved")}
    said = []
    if sum(others.values()):
        said.append(f"Counted apart: {parts(others)}.")
    if unresolved := classes.get("unresolved", 0):
        said.append(f"Of the affected, {unresolved:,} could not be attributed to a tenant.")
    return " ".join(said)


def _outside(summary: dict[str, Any]) -> str:
    count = summary["outside_window"]
    return f"{count:,} of the affected outside the declared window." if count else ""


def _mechanism(name: str) -> str:
    return f"{_label(name)}, {COUNTED_BY.get(name, 'by the rule of that name')}"


def _label(name: str) -> str:
    return LABELS.get(name, name.replace("_", " "))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
