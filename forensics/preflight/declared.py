"""Reads declarations: Helm values, Kubernetes manifests (YAML or JSON), and command lines.

Nothing here is the word of a running process. What a command line does not set is off; what Helm values do not set
may be set by their chart, so it stays open.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from forensics.errors import ForensicsError
from forensics.preflight import flags
from forensics.preflight.process import Process

_MOST = 16 << 20
_LAUNCH = re.compile(r"sglang\.launch_server|sglang serve|vllm serve|vllm\.entrypoints|dynamo\.(?:sglang|vllm)")
_IMAGE = re.compile(r"(?:^|/)[^/:]*(?P<engine>sglang|vllm)[^/:]*:(?P<tag>[^@]+)", re.IGNORECASE)
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+[\w.]*)")
_WORDS = re.compile(r"[a-z0-9]+|[A-Z][a-z0-9]*")
_OPEN = re.compile(r"\$[({A-Za-z@]")
_ASSIGNED = re.compile(r"[A-Z][A-Z0-9_]*=.*", re.DOTALL)


@dataclass(frozen=True)
class _Around:
    """What a mapping takes over from those around it."""

    names: tuple[str, ...] = ()
    image: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


def read(path: Path, label: str) -> list[Process]:
    """Returns one row per process that the file declares; none if it declares none.

    Raises if the file is too large, no text, or no YAML where its name says so.
    """
    if path.stat().st_size > _MOST:
        raise ForensicsError(
            "too large for a configuration (over 16 MB)", where=label, fix="Give the rendered values alone"
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ForensicsError("neither a log that is known nor text", where=label, fix="Check the path") from error
    named: Iterable[tuple[str, Process]]
    if path.suffix.lower() in {".yaml", ".yml", ".json"}:
        named = (found for document in _documents(text, label) for found in _walk(document, _Around(), set()))
    else:
        named = (("", each) for each in _commands(text))
    seen: Counter[str] = Counter()
    rows: list[Process] = []
    for name, each in named:
        process = f"{label} {name}".rstrip()
        seen[process] += 1
        rows.append({**each, "process": f"{process} #{seen[process]}" if seen[process] > 1 else process, "path": label})
    return rows


def _documents(text: str, label: str) -> list[Any]:
    try:
        return [json.loads(text)] if text.lstrip().startswith("{") else list(yaml.safe_load_all(text))
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise ForensicsError(
            "not YAML or JSON that can be read",
            where=f"{label}:{mark.line + 1}" if mark else label,
            fix="Templates have to be rendered first: helm template … > rendered.yaml",
        ) from error


def _walk(node: object, around: _Around, seen: set[int]) -> Iterator[tuple[str, Process]]:
    """Yields a name and a row for each mapping that launches an engine, or sets what an engine's arguments set.

    A node that YAML aliases in several places is looked at once, so that aliases cannot make the walk explode.
    """
    if isinstance(node, (dict, list)):
        if id(node) in seen:
            return
        seen.add(id(node))
    if isinstance(node, list):
        for number, each in enumerate(node):
            yield from _walk(each, replace(around, names=(*around.names, _name(number, each))), seen)
    if not isinstance(node, dict):
        return
    here = replace(around, image=_image(node) or around.image, variables={**around.variables, **_variables(node)})
    words = _words(node)
    set_here = {**_settings(node), **flags.launched(words)}
    if set_here or _launches(words):
        yield ".".join(here.names), _row(set_here, words, here)
    below = [
        found
        for key, each in node.items()
        if not _is_words(each)
        for found in _walk(each, replace(here, names=(*here.names, str(key))), seen)
    ]
    yield from below
    if not set_here and not below and not _launches(words) and flags.environment(_variables(node)):
        yield ".".join(here.names), _row({}, words, here)


def _name(number: int, value: object) -> str:
    """An element of a list is called by its own name, where it has one."""
    named = value.get("name") if isinstance(value, dict) else None
    return named if isinstance(named, str) else str(number)


def _row(set_here: Process, words: list[str], around: _Around) -> Process:
    image = _IMAGE.search(around.image)
    version = _VERSION.match(image["tag"]) if image else None
    hints = " ".join((*words, *around.names)).lower()
    engine = image["engine"].lower() if image else next((name for name in ("sglang", "vllm") if name in hints), None)
    whole = _launches(words) and not _OPEN.search(" ".join(words))
    row: Process = {
        "shown": "declared",
        "engine": engine,
        "version": version[1] if version else None,
        "settings": whole,
    }
    place = " ".join(around.names).lower()
    role = next((name for name in ("prefill", "decode") if name in place), None)
    if role:
        row.update(role=role, disaggregated=True)
    elif whole:
        row.update(role="unified", disaggregated=False)
    return {**row, **set_here, **flags.environment(around.variables)}


def _launches(words: list[str]) -> bool:
    return bool(_LAUNCH.search(" ".join(words)))


def _is_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, (str, int, float)) for each in value)


def _words(node: dict[Any, Any]) -> list[str]:
    """Returns the words of the command and arguments that stand in a mapping itself."""
    words: list[str] = []
    for key, value in sorted(node.items(), key=lambda item: (str(item[0]) != "command", str(item[0]))):
        if _is_words(value):
            words += [word for each in value for word in _split(str(each))]
        elif isinstance(value, str) and ("--" in value or str(key) in {"command", "args"}):
            words += _split(value)
    return words


def _split(text: str) -> list[str]:
    """Returns a shell line's words; a word that is JSON stays one."""
    if text.lstrip().startswith("{") or not any(space in text for space in " \n\t"):
        return [text]
    try:
        return shlex.split(text.replace("\\\n", " "), comments=True)
    except ValueError:
        return text.split()


def _settings(node: dict[Any, Any]) -> Process:
    """Returns what keys set that are spelled like an argument: ``contextLength``, ``max_model_len``."""
    found: Process = {}
    for key, value in node.items():
        name = "-".join(word.lower() for word in _WORDS.findall(str(key)))
        if name in flags.FLAGS and "-" in name and isinstance(value, (str, int, float)):
            found.update(flags.FLAGS[name](str(value)))
    return found


def _image(node: dict[Any, Any]) -> str:
    image = node.get("image")
    if isinstance(image, dict):
        return f"{image.get('repository', '')}:{image.get('tag', '')}"
    if "repository" in node and "tag" in node:
        return f"{node['repository']}:{node['tag']}"
    return image if isinstance(image, str) else ""


def _variables(node: dict[Any, Any]) -> dict[str, str]:
    """Returns the environment variables that a mapping declares, as a list of names and values or as a mapping."""
    found: dict[str, str] = {}
    for key, value in node.items():
        if "env" not in str(key).lower():
            continue
        if isinstance(value, dict):
            found.update({str(name): str(each) for name, each in value.items()})
        elif isinstance(value, list):
            pairs = [each for each in value if isinstance(each, dict) and "value" in each]
            found.update({str(each.get("name")): str(each["value"]) for each in pairs})
    return found


def _commands(text: str) -> Iterator[Process]:
    """Yields a row for every command of a script that launches an engine, or one for bare arguments."""
    variables: dict[str, str] = {}
    bare: Process = {}
    found = False
    for line in text.replace("\\\n", " ").splitlines():
        words = _split(line) if line.strip() else []
        assigned = [word for word in words if _ASSIGNED.fullmatch(word)]
        variables.update(dict(word.split("=", 1) for word in assigned))
        if _launches(words):
            found = True
            yield _row(flags.launched(words), words, _Around(variables=dict(variables)))
        else:
            bare.update(flags.launched(words))
    if not found and (bare or flags.environment(variables)):
        yield _row(bare, [], _Around(variables=variables))
