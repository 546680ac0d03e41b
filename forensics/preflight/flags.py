"""Which launch arguments and environment variables of SGLang and vLLM say what, as one table each."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from forensics.preflight.process import Process

_COUNT = re.compile(r"(\d+(?:\.\d+)?)([kKmM]?)")
_TIMES = {"": 1, "k": 1000, "K": 1024, "m": 1000**2, "M": 1024**2}
_DIGITS = 12
_ROLES = {"kv_producer": "prefill", "kv_consumer": "decode"}


def count(text: str) -> int | None:
    """Returns a number of tokens as the engines read it (``128k`` is 128,000, ``128K`` 131,072); None if it is none."""
    found = _COUNT.fullmatch(text.strip())
    return int(float(found[1]) * _TIMES[found[2]]) if found and len(found[1]) <= _DIGITS else None


def truth(text: str) -> bool | None:
    """Returns what a switch is set to; a switch without a value is on."""
    value = text.strip().lower()
    return True if value in {"", "1", "true", "yes", "on"} else False if value in {"0", "false", "no", "off"} else None


def _apart(text: str) -> Process:
    mode = text.strip()
    if mode in {"prefill", "decode"}:
        return {"role": mode, "disaggregated": True}
    return {"role": "unified", "disaggregated": False} if mode in {"null", "none"} else {}


def _connector(text: str) -> Process:
    """A vLLM connector moves KV between engines, in the role that its JSON names."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"disaggregated": True}
    role = _ROLES.get(str(value.get("kv_role"))) if isinstance(value, dict) else None
    return {"disaggregated": True, **({"role": role} if role else {})}


def _one(column: str, read: Callable[[str], object]) -> Callable[[str], Process]:
    return lambda text: {column: read(text)}


def _not(column: str) -> Callable[[str], Process]:
    def read(text: str) -> Process:
        value = truth(text)
        return {column: None if value is None else not value}

    return read


FLAGS: Mapping[str, Callable[[str], Process]] = {
    "context-length": _one("context_tokens", count),
    "max-model-len": _one("context_tokens", count),
    "disaggregation-mode": _apart,
    "disaggregation-transfer-backend": _one("backend", str.strip),
    "kv-transfer-config": _connector,
    "allow-auto-truncate": _one("auto_truncate", truth),
    "disaggregation-enable-kv-checksum": _one("kv_checksum", truth),
    "kv-canary": _one("kv_canary", str.strip),
    "disable-radix-cache": _not("prefix_cache"),
    "enable-prefix-caching": _one("prefix_cache", truth),
    "no-enable-prefix-caching": _not("prefix_cache"),
    "page-size": _one("page_size", count),
    "block-size": _one("page_size", count),
    "kv-cache-dtype": _one("kv_dtype", str.strip),
    "dp-size": _one("dp_size", count),
    "data-parallel-size": _one("dp_size", count),
    "dp": _one("dp_size", count),
}
"""Launch arguments, without their dashes."""

_DEFERRED = "SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE"
ENVIRONMENT: Mapping[str, Callable[[str], Process]] = {
    _DEFERRED: _one("deferred", truth),
    f"{_DEFERRED}_TIMEOUT": _one("deferred_seconds", count),
    "SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES": _one("batch_indices", count),
}
"""Environment variables (SGLang's ``srt/environ.py``)."""

_SWITCHES = {
    "allow-auto-truncate",
    "disaggregation-enable-kv-checksum",
    "disable-radix-cache",
    "enable-prefix-caching",
    "no-enable-prefix-caching",
}


def launched(tokens: Iterable[str]) -> Process:
    """Returns what a command line's words set; words that are no known argument are passed over."""
    found: Process = {}
    for name, value in _arguments(list(tokens)):
        found.update(FLAGS[name](value))
    return found


def _arguments(tokens: list[str]) -> Iterator[tuple[str, str]]:
    for at, token in enumerate(tokens):
        name, given, value = token.removeprefix("--").partition("=")
        name = name.replace("_", "-")
        if not token.startswith("--") or name not in FLAGS:
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if not given and name not in _SWITCHES and not following.startswith("--"):
            value = following
        yield name, value


def environment(values: Mapping[str, str]) -> Process:
    """Returns what environment variables set."""
    found: Process = {}
    for name in sorted(values.keys() & ENVIRONMENT.keys()):
        found.update(ENVIRONMENT[name](values[name]))
    return found
