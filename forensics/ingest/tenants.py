"""Drafts tenant rules from what gateway records say about who called.

Many tenants may sit behind one key. Where a key's requests carry a name of their own (a header, body metadata, a tag, a
prefix of the end user), the key is shared and its aliases name nobody; a key without such names is its team's.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from forensics.case.draft import RuleDraft

_TELLING = re.compile(
    r"(?:^|[._-])(?:tenant|customer|account|org|organi[sz]ation|company|subscriber|workspace)(?:[._-]?(?:id|name|alias|slug|key))?$",
    re.IGNORECASE,
)
"""Names of fields that callers use to say for whom they call."""

_TAG = re.compile(r"^(?P<key>tenant|customer|account|org|organi[sz]ation|company)[:=](?P<name>.+)$", re.IGNORECASE)
_SEPARATORS = (":", "/", "|", "#")
_WEAK_SEPARATORS = ("@", "__", ".", "-", "_")
"""Signs that also stand within names: believed only for keys whose owner sounds like a pool."""

_COMMON = re.compile(
    r"\b(?:shared|resellers?|platform|default|partners?|pool(?:ed)?|common|multi|gateway|public)\b", re.IGNORECASE
)
_STAGE = r"(?:[-_. ](?:prod|production|live|dev|stage|staging|test|qa|key|api|v?\d+))+"
_OWN = (
    ("organisation", "user_api_key_org_alias"),
    ("team", "user_api_key_team_alias"),
    ("key", "user_api_key_alias"),
    ("organisation id", "user_api_key_org_id"),
    ("team id", "user_api_key_team_id"),
    ("key's user", "user_api_key_user_id"),
)
"""What a gateway knows of a key's owner, from the widest to the narrowest."""

_USERS = ("end_user", "user")
_ASKED = ("requester_metadata", "requester_custom_headers", "spend_logs_metadata", "body_metadata")


@dataclass
class Key:
    """The calls made with one gateway key."""

    identity: str
    calls: int = 0
    owner: dict[str, str] = field(default_factory=dict)
    told: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    covered: int = 0
    users: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass(frozen=True)
class Drafted:
    """Rules in order, and each tenant's number of calls under them, with the calls that name nobody."""

    rules: list[RuleDraft]
    tenants: list[tuple[str, int]]
    unresolved: int


def draft(identities: list[dict[str, Any]]) -> Drafted:
    """Returns rules for the identities of gateway records (as ``record.identity`` has them)."""
    keys: dict[str, Key] = {}
    for identity in identities:
        leaves = dict(_telling(identity))
        owner = {name: value for name, path in _OWN if (value := _text((identity.get("metadata") or {}).get(path)))}
        hashed = _text((identity.get("metadata") or {}).get("user_api_key_hash")) or json.dumps(owner, sort_keys=True)
        key = keys.setdefault(hashed, Key(hashed))
        key.calls += 1
        key.owner.update({name: value for name, value in owner.items() if name not in key.owner})
        for path, value in leaves.items():
            key.told[path][value] += 1
        key.covered += bool(leaves)
        # A call that names its tenant elsewhere says nothing of how end users are named.
        for name in _USERS if not leaves else ():
            if user := _text(identity.get(name)):
                key.users[f"$.{name}"][user] += 1
    shared = {key.identity for key in keys.values() if _is_shared(key)}
    chosen = _owners([key for key in keys.values() if key.identity not in shared])
    rules = [*_owner_rules(keys, shared, chosen), *_told_rules(keys, shared), *_user_rules(keys, shared)]
    return Drafted(rules, *_count(identities, rules))


def _telling(identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields JSON path and value of each field in which the caller says for whom it calls, best first."""
    metadata = identity.get("metadata") or {}
    if not any(path in metadata for _, path in _OWN):  # no gateway's record, but a request, its headers or a span
        for path, value in _leaves("$", identity):
            if _TELLING.search(_last(path)):
                yield path, value
        return
    seen = set()
    for holder in _ASKED:
        base = "$" if holder == "body_metadata" else "$.metadata"
        held = identity.get(holder) if holder == "body_metadata" else metadata.get(holder)
        for path, value in _leaves(f"{base}.{holder}", held):
            name = _last(path)
            if _TELLING.search(name) and (name.lower(), value) not in seen:
                copied = ".headers." in path and name in (metadata.get("requester_custom_headers") or {})
                if not copied:
                    seen.add((name.lower(), value))
                    yield path, value
    for tag in identity.get("request_tags") or []:
        if isinstance(tag, str) and (found := _TAG.match(tag)):
            yield f"$.request_tags\n{found['key']}", found["name"]
            return


def _last(path: str) -> str:
    """Returns the last step of a JSON path."""
    return path.rpartition('"')[0].rpartition('"')[2] if path.endswith('"') else path.rpartition(".")[2]


def _leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            step = name if re.fullmatch(r"[A-Za-z_]\w*", name) else '"' + name.replace('"', '\\"') + '"'
            yield from _leaves(f"{path}.{step}", each)
    elif text := _text(value):
        yield path, text


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else str(value) if isinstance(value, int) else None


def _prefixed(key: Key) -> tuple[str, str, set[str]]:
    """Returns where a key's end users stand, the sign between tenant and user in them, and the tenants, if any.

    Most end users must have the sign. A weak one needs several tenants of several users each.
    """
    for path, users in key.users.items():
        for sign in _SEPARATORS:
            if prefixes := _prefixes(users, sign, most=0.8 if key.owner else 0.2):
                return path, sign, set(prefixes)
        if any(_COMMON.search(name) for name in key.owner.values()) and not key.told:
            for sign in _WEAK_SEPARATORS:
                prefixes = _prefixes(users, sign)
                if 1 < len(prefixes) < len(users):
                    return path, sign, set(prefixes)
    return "", "", set()


def _prefixes(users: Counter[str], sign: str, most: float = 0.8) -> Counter[str]:
    place = -1 if sign == "@" else 0
    split = [user.split(sign) for user in users if all(user.partition(sign))]
    return Counter(parts[place] for parts in split) if len(split) >= most * len(users) else Counter()


def _is_shared(key: Key) -> bool:
    """A key is shared if its calls name several tenants, or all of them one by a field made for that."""
    named = {value for values in key.told.values() for value in values}
    _, _, prefixes = _prefixed(key)
    return (
        len(named) + len(prefixes) > 1 or (key.covered == key.calls > 0) or (not key.owner and bool(named or prefixes))
    )


def _owners(keys: list[Key]) -> dict[str, str]:
    """Returns which owner field names each key that is not shared.

    Organisations count where there are several; a team's name counts unless its keys' aliases have nothing in common
    and the name is that of a pool, or it spans organisations.
    """
    organisations = {key.owner["organisation"] for key in keys if "organisation" in key.owner}
    by_team: dict[str, list[Key]] = defaultdict(list)
    for key in keys:
        by_team[key.owner.get("team", "")].append(key)
    chosen = {}
    for key in keys:
        order = [name for name, _ in _OWN if name in key.owner]
        if len(organisations) < 2 or _COMMON.search(key.owner.get("organisation", "")):
            order = [name for name in order if name not in ("organisation", "organisation id")] or order
        team = by_team[key.owner.get("team", "")]
        stems = {_stem(each.owner.get("key", "")) for each in team}
        if "key" in key.owner and len(stems) == len(team) > 1 and _COMMON.search(key.owner.get("team", "")):
            order = [name for name in order if name != "team"]
        if order:
            chosen[key.identity] = order[0]
    return chosen


def _stem(alias: str) -> str:
    return re.sub(rf"{_STAGE}$", "", alias, flags=re.IGNORECASE)


def _owner_rules(keys: dict[str, Key], shared: set[str], chosen: dict[str, str]) -> Iterator[RuleDraft]:
    for name, field_name in _OWN:
        named = [keys[key] for key in chosen if chosen[key] == name]
        if not named:
            continue
        values = {key.owner[name] for key in named}
        later = {key for key in keys if key in shared or (key in chosen and _rank(chosen[key]) > _rank(name))}
        ignore = sorted({keys[key].owner[name] for key in later if name in keys[key].owner} - values)
        why = f"{len(values)} values of it belong to {len(named)} keys whose calls name no other tenant"
        if ignore:
            why += f"; ignored: of keys that several tenants share ({', '.join(ignore)})"
        pattern = None
        if name == "key" and len({_stem(value) for value in values}) < len(values):
            pattern = rf"^(.+?)(?:{_STAGE})?$"
        yield RuleDraft(name, f"$.metadata.{field_name}", why, pattern, tuple(ignore))


def _rank(name: str) -> int:
    return [each for each, _ in _OWN].index(name)


def _told_rules(keys: dict[str, Key], shared: set[str]) -> Iterator[RuleDraft]:
    paths: dict[str, Counter[str]] = defaultdict(Counter)
    for identity in sorted(shared):
        for path, values in keys[identity].told.items():
            paths[path].update(values)
    for path in sorted(paths, key=lambda each: (-paths[each].total(), each)):
        place, _, tag = path.partition("\n")
        name = f"tag {tag}" if tag else path.replace('"', "").rpartition(".")[2]
        why = f"{paths[path].total():,} calls with shared keys carry it, with {len(paths[path])} values"
        yield RuleDraft(name, place, why, rf'"(?i:{tag})[:=]([^"]+)"' if tag else None)


def _user_rules(keys: dict[str, Key], shared: set[str]) -> Iterator[RuleDraft]:
    by_sign: dict[tuple[str, str], set[str]] = defaultdict(set)
    for identity in shared:
        path, sign, prefixes = _prefixed(keys[identity])
        if sign:
            by_sign[path, sign] |= prefixes
    for (path, sign), prefixes in sorted(by_sign.items()):
        shape = f"<user>{sign}<tenant>" if sign == "@" else f"<tenant>{sign}<user>"
        why = f'end users of shared keys read "{shape}", with {len(prefixes)} different tenants'
        pattern = "^.+@([^@]+)$" if sign == "@" else f"^(.+?){re.escape(sign)}."
        yield RuleDraft("end user", path, why, pattern)


def _count(identities: list[dict[str, Any]], rules: list[RuleDraft]) -> tuple[list[tuple[str, int]], int]:
    counted: Counter[str] = Counter()
    for identity in identities:
        counted[_name(identity, rules) or ""] += 1
    unresolved = counted.pop("", 0)
    return sorted(counted.items()), unresolved


def _name(identity: dict[str, Any], rules: list[RuleDraft]) -> str | None:
    """Returns what the drafted rules say, as the link stage will."""
    for rule in rules:
        value: Any = identity
        for step in re.findall(r'\."((?:[^"\\]|\\.)*)"|\.([A-Za-z_]\w*)', rule.path):
            value = value.get(step[0].replace('\\"', '"') or step[1]) if isinstance(value, dict) else None
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else _text(value)
        if not text or text in rule.ignore:
            continue
        if rule.pattern is None:
            return text
        if (found := re.search(rule.pattern, text)) and found[1]:
            return found[1]
    return None
