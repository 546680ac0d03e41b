"""Makes evidence text safe to print: a terminal must show log text, never obey it."""

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def plain(value: object) -> str:
    """Returns ``value`` as one line without control, bidirectional and zero-width characters; None as nothing."""
    if value is None:
        return ""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", unicodedata.normalize("NFC", str(value)))
