"""Drafts ``[[source]]``: which files belong to one worker, and what that worker is.

A folder is one worker's if its parts share request ids, which engines make themselves, or are named as parts of one
worker's logs; it is several workers' if its parts disagree about role or address. Files in one folder are told apart
by name, and joined where they share ids.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from forensics.case.draft import SourceDraft
from forensics.ingest import zones

_ROTATION = re.compile(r"(?:\.(?:gz|zst|\d{1,4}|\d{4}-?\d\d-?\d\d(?:[_T-]\d\d)?|copy|old))+$")
_ENDING = re.compile(r"(?:_\d+)?\.(?:log|txt|out|jsonl?)$")
_PARTS = re.compile(
    r"^(?:req(?:uest)?s?(?:[_-]?log)?|metrics|logs?|old|archive|server|engine|stdout|stderr|output|scheduler|console|"
    r"sglang-request-metrics-[\d_]+|current|previous)$",
    re.IGNORECASE,
)
"""Names of the parts of one worker's logs, which name no worker."""


@dataclass
class _File:
    """An engine's file: its path, format, and what its records say of the worker."""

    path: str
    format: str
    roles: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)
    rids: set[str] = field(default_factory=set)

    @property
    def parts(self) -> tuple[str, ...]:
        *folders, name = PurePosixPath(self.path).parts
        return (*folders, base_of(name))


@dataclass
class _Worker:
    name: str
    files: list[_File] = field(default_factory=list)
    patterns: set[str] = field(default_factory=set)


def draft(
    roles: list[dict[str, Any]], rids: list[dict[str, Any]], offsets: list[dict[str, Any]]
) -> tuple[list[SourceDraft], int]:
    """Returns the blocks for the engine files that ``queries/formats/drafts`` found, and how many workers there are."""
    files: dict[str, _File] = {}
    for row in roles:
        file = files.setdefault(row["path"], _File(row["path"], row["format"]))
        if row["role"]:
            file.roles[row["role"]] += row["weight"]
        if row["address"]:
            file.addresses[row["address"]] += row["weight"]
    for row in rids:
        if row["path"] in files:
            files[row["path"]].rids.add(row["rid"])
    logs: dict[str, list[_File]] = defaultdict(list)
    for file in files.values():
        logs["vllm" if file.format.startswith("vllm") else "sglang"].append(file)
    about = [file for file in logs["sglang"] if file.format == "sglang_server_info"]
    engine = [file for file in logs["sglang"] if file.format != "sglang_server_info"]
    workers = [worker for group in (engine, logs["vllm"]) for worker in _split(group, 0)]
    _tell_apart(workers)
    _assign(workers, about)
    measured = {row["path"]: row for row in offsets}
    blocks = [block for worker in sorted(workers, key=lambda each: each.name) for block in _blocks(worker, measured)]
    return blocks, len(workers)


def base_of(name: str) -> str:
    """Returns a file's name without rotation, compression, rank and ending."""
    return _ENDING.sub("", _ROTATION.sub("", name))


def pattern_of(path: str) -> str:
    """Returns a pattern for a file and its rotations, without the folder that was given on the command line."""
    parts = PurePosixPath(path).parts
    below = _ROTATION.sub("", "/".join(parts[1:]) if len(parts) > 1 else parts[0])
    return "*/" + re.sub(r"[\[\]?*]", "?", below) + "*"


def _split(files: list[_File], depth: int) -> Iterator[_Worker]:
    """Yields the workers among ``files``, which share their first ``depth`` names."""
    if not files:
        return
    children: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        children[file.parts[depth]].append(file)
    if len(children) == 1 and all(len(file.parts) > depth + 1 for file in files):
        (_name,) = children
        if any(_PARTS.match(file.parts[depth + 1]) for file in files) and not _disagree([[file] for file in files]):
            yield _folder(files, depth)
        else:
            yield from _split(files, depth + 1)
        return
    joined = _join(children)
    if len(joined) == 1 and len(children) > 1 and depth > 0:
        yield _folder(files, depth - 1)
        return
    for names in joined:
        members = [file for name in names for file in children[name]]
        if all(len(file.parts) == depth + 1 for file in members):
            yield _named(members, names)
        else:
            yield from _split(members, depth) if len(names) > 1 else _below(members, depth)


def _below(files: list[_File], depth: int) -> Iterator[_Worker]:
    """Yields the workers of one folder at ``depth``, which is one worker unless its parts disagree or are unrelated."""
    children: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        children[file.parts[min(depth + 1, len(file.parts) - 1)]].append(file)
    if len(children) == 1 and all(len(file.parts) > depth + 2 for file in files):
        yield from _split(files, depth + 1)
        return
    known = any(_PARTS.match(name) for name in children)
    if not _disagree(list(children.values())) and (known or len(_join(children)) == 1):
        yield _folder(files, depth)
    else:
        yield from _split(files, depth + 1)


def _join(children: dict[str, list[_File]]) -> list[list[str]]:
    """Returns the children's names in groups: those that share request ids and do not disagree stand together."""
    groups: list[tuple[list[str], list[_File], set[str]]] = []
    for name in sorted(children):
        names, members, rids = [name], list(children[name]), {rid for file in children[name] for rid in file.rids}
        rest = []
        for group in groups:
            if rids & group[2] and not _disagree([members, group[1]]):
                names, members, rids = [*group[0], *names], [*group[1], *members], group[2] | rids
            else:
                rest.append(group)
        groups = [*rest, (names, members, rids)]
    return [names for names, _, _ in groups]


def _disagree(groups: list[list[_File]]) -> bool:
    """Whether these groups of files say different things about role or address."""
    roles = {role for group in groups for file in group for role, _ in file.roles.most_common(1)}
    addresses = {address for group in groups for file in group for address in file.addresses}
    return len(roles) > 1 or len(addresses) > 1


def _folder(files: list[_File], depth: int) -> _Worker:
    parts = files[0].parts
    below = "/".join(parts[min(1, depth) : depth + 1])
    return _Worker(parts[depth], files, {f"*/{below}/*"})


def _named(files: list[_File], names: list[str]) -> _Worker:
    common = names[0]
    for name in names[1:]:
        while not name.startswith(common):
            common = common[:-1]
    return _Worker(common.rstrip("-_. ") or names[0], files, {pattern_of(file.path) for file in files})


def _tell_apart(workers: list[_Worker]) -> None:
    """Gives workers of one name in several folders the folder's name before theirs."""
    names = Counter(worker.name for worker in workers)
    for worker in workers:
        parts = min(worker.patterns).strip("*/.").split("/")
        if names[worker.name] > 1 and len(parts) > 1:
            worker.name = "/".join(parts[-2:]).removesuffix(".log")


def _assign(workers: list[_Worker], about: list[_File]) -> None:
    """Gives saved /server_info answers to the worker of that name or address; the others are workers of their own."""
    by_name = {worker.name: worker for worker in workers}
    by_address = {address: worker for worker in workers for file in worker.files for address in file.addresses}
    for file in sorted(about, key=lambda each: each.path):
        name = re.sub(r"\.(?:model_info|server_info)$", "", file.parts[-1])
        owner = by_name.get(name) or next((by_address[each] for each in file.addresses if each in by_address), None)
        folder = [worker for worker in workers if any(_within(file.path, pattern) for pattern in worker.patterns)]
        owner = owner or (folder[0] if folder else None)
        if owner is None:
            owner = by_name[name] = _Worker(name)
            workers.append(owner)
        owner.files.append(file)
        if owner not in folder:
            owner.patterns.add(pattern_of(str(PurePosixPath(file.path).with_name(name + "."))))


def _within(path: str, pattern: str) -> bool:
    return pattern.endswith("/*") and pattern[1:-1] in f"/{path}"


def _blocks(worker: _Worker, measured: dict[str, dict[str, Any]]) -> Iterator[SourceDraft]:
    """Yields one block per pattern: the first with all that is known, the others with what names the worker."""
    roles = sum((file.roles for file in worker.files), Counter[str]())
    addresses = sum((file.addresses for file in worker.files), Counter[str]())
    values: dict[str, str | int] = {"worker": worker.name}
    why = [f"{len(worker.files)} files"]
    if roles:
        values["role"], _count = max(roles.items(), key=lambda item: (item[1], item[0]))
        why.append(f"role by {sum(roles.values()):,} marks")
    stamps = [measured[file.path] for file in worker.files if file.path in measured]
    if stamps:
        best = max(stamps, key=lambda row: (row["pairs"], row["path"]))
        values["zone"] = zones.name_of(best["offset_ns"])
        why.append(f"zone by {best['pairs']:,} stamps beside {best['beside']}")
        if any(file.format.startswith("vllm") for file in worker.files):
            values["year"] = best["year"]
    if addresses:
        values["address"] = max(addresses.items(), key=lambda item: (item[1], item[0]))[0]
        why.append("address by what it says of itself")
    for pattern in sorted(worker.patterns):
        yield SourceDraft({"files": pattern, **values}, f"{worker.name}: {', '.join(why)}")
