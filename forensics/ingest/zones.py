"""Names for measured offsets from UTC."""

_QUARTER = 900 * 10**9
_ODD = {
    -38: "America/St_Johns",
    -14: "America/St_Johns",
    14: "Asia/Tehran",
    18: "Asia/Kabul",
    22: "Asia/Kolkata",
    23: "Asia/Kathmandu",
    26: "Asia/Yangon",
    38: "Australia/Darwin",
    42: "Australia/Adelaide",
}
"""Quarters of an hour to a zone, where the offset is no whole hour."""


def name_of(offset_ns: int) -> str:
    """Returns a zone whose clocks are ``offset_ns`` ahead of UTC, rounded to quarters of an hour.

    Whole hours get the fixed zones ``Etc/GMT-2`` (their sign is turned: two hours ahead), which have no summer time; an
    investigator who knows the place writes it instead.
    """
    quarters = round(offset_ns / _QUARTER)
    if quarters == 0:
        return "UTC"
    hours, rest = divmod(quarters, 4)
    if rest:
        return _ODD.get(quarters, "UTC")
    return f"Etc/GMT{-hours:+d}"
