"""Makes evidence text harmless where it is shown: terminal, Markdown, spreadsheet, file name. HTML is jinja2's part."""

import hashlib
import re
import unicodedata
from typing import Any, Final

# C0 and C1 controls, line and paragraph separators, zero-width and bidirectional controls, tags, lone surrogates.
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_ESCAPE: Final = re.compile(r"(?:\x1b|\x9b)\[?[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_MARKDOWN: Final = re.compile(r"([\\`*\[\]<>|~$^@]|(?<!\w)_|_(?!\w))")
_LINKS: Final = re.compile(r"(?i)(www|https?|ftp|mailto|xmpp)([.:])")
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def text(value: str) -> str:
    """Returns ``value`` on one line, without terminal escapes, control, bidirectional or zero-width characters."""
    return _CONTROL.sub(" ", _ESCAPE.sub("", value)).strip()


def tree(value: Any) -> Any:
    """Returns ``value`` with ``text`` applied to every string in nested lists and dicts, keys included."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(str(key)): tree(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [tree(each) for each in value]
    return value


def markdown(value: str) -> str:
    """Returns ``value`` so that no Markdown reader finds a link, image, table border, emphasis or HTML in it."""
    escaped = _MARKDOWN.sub(r"\\\1", text(value).replace("&", "&amp;"))
    return _LINKS.sub(r"\1\\\2", escaped)


def cell(value: object) -> object:
    """Returns ``value`` for a CSV cell: strings on one line, after an apostrophe where a spreadsheet would compute."""
    if not isinstance(value, str):
        return value
    shown = text(value)
    return f"'{shown}" if shown.lstrip("\"' \u00a0\u3000").startswith(_FORMULA) else shown


def file_name(name: str) -> str:
    """Returns a file name for any tenant's name: a readable slug and eight hex digits that tell equal slugs apart."""
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug or 'tenant'}-{digest}"
