"""A toy tokenizer: counts, ids and character spans that agree with one another in every log of a story.

Pieces are one CJK character, up to five letters with the blank before them, up to three digits, or one other
character: near enough to a byte-pair encoding that lengths are plausible, and simple enough that a page of KV can be
read back as text.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from zlib import crc32

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"<\|im_(?:start|end)\|>|[{_CJK}]| ?(?:(?![{_CJK}])[^\W\d_]){{1,5}}| ?\d{{1,3}}| ?.", re.DOTALL)
_ASCII = re.compile(r"<\|im_(?:start|end)\|>| ?[A-Za-z]{1,5}| ?[0-9]{1,3}| ?.", re.DOTALL)  # the same, twice as fast
_SPECIAL = {"<|im_start|>": 1, "<|im_end|>": 2}
END_OF_TURN = 2

Message = Mapping[str, Any]


def spans(text: str) -> list[tuple[int, int]]:
    """Returns the (start, end) code points of each token of ``text``, without gaps."""
    return [match.span() for match in _PIECE.finditer(text)]


def count(text: str) -> int:
    """Returns the number of tokens of ``text``."""
    return len((_ASCII if text.isascii() else _PIECE).findall(text))


def ids(text: str) -> list[int]:
    """Returns a stable token id for each token of ``text``."""
    return [_id(piece) for piece in _PIECE.findall(text)]


@cache
def _id(piece: str) -> int:
    return _SPECIAL.get(piece) or 100 + crc32(piece.encode("utf-8", "surrogatepass")) % 31_900


def chat_text(messages: Sequence[Message]) -> str:
    """Returns the prompt that the chat template makes of ``messages``, ready for the assistant's turn."""
    turns = [f"<|im_start|>{message['role']}\n{content_text(message)}<|im_end|>\n" for message in messages]
    return "".join(turns) + "<|im_start|>assistant\n"


def content_text(message: Message) -> str:
    """Returns what a message says: its text, the texts of its parts, or its tool calls as the template spells them."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    calls = message.get("tool_calls") or []
    return "".join(
        f"<tool_call>{call['function']['name']} {call['function']['arguments']}</tool_call>" for call in calls
    )
