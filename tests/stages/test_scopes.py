"""One side's records alone: no verdict contradicts the full one, bounds hold, and what is missing is said."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.disclose.headline import headline
from forensics.disclose.summary import summary
from forensics.disclose.tables import prepare
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.scenario.worlds import WORLDS, write_world

SEEDS = (1, 2)
SIDES = ("gateway", "prefill", "decode", "one-tenant")
LACKS = {
    "gateway": {"prefill_logs", "decode_logs", "limits"},
    "prefill": {"client_records", "decode_logs"},
    "decode": {"client_records", "prefill_logs", "limits"},
    "one-tenant": {"prefill_logs", "decode_logs", "limits", "other_tenants"},
}
IDS = "SELECT v.*, x.room, x.decode_rid, x.prefill_rid FROM verdict AS v INNER JOIN exchange AS x USING (exchange_id)"


@dataclass(frozen=True)
class Full:
    """A world with all its records, and the verdicts that they give."""

    root: Path
    verdicts: list[dict[str, Any]]


def analysed(root: Path, logs: Path, scope: str = "provider") -> Case:
    """Returns a case over ``logs``, analysed."""
    declared = (root / "case.toml").read_text(encoding="utf-8")
    case = Case.create(logs.parent / "case", f'scope = "{scope}"\n{declared}')
    assert not ingest(case, [logs]).problems
    analyze_case(case, with_controls=False)
    return case


def verdicts(case: Case) -> list[dict[str, Any]]:
    """Returns the verdicts with the ids that the other sides know."""
    with connect(case) as con:
        found = con.execute(IDS)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.fixture(scope="module", params=[(name, seed) for name in WORLDS for seed in SEEDS], ids=str)
def full(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Full:
    name, seed = request.param
    root = tmp_path_factory.mktemp(f"{name}-{seed}")
    write_world(root, WORLDS[name](seed), seed=seed)
    (root / "full").mkdir()
    shutil.copytree(root / "logs", root / "full" / "logs")
    return Full(root, verdicts(analysed(root, root / "full" / "logs")))


def _gateway(logs: Path) -> None:
    shutil.rmtree(logs / "sglang")
    shutil.rmtree(logs / "router")


def _engines(role: str) -> Callable[[Path], None]:
    def keep(logs: Path) -> None:
        shutil.rmtree(logs / "litellm")
        shutil.rmtree(logs / "router")
        for path in (logs / "sglang").iterdir():
            if path.is_dir() and not path.name.startswith(role) and path.name != "server_info":
                shutil.rmtree(path)
        for path in (logs / "sglang" / "server_info").iterdir():
            if not path.name.startswith(role):
                path.unlink()

    return keep


def _one_tenant(logs: Path) -> None:
    """Keeps what the tenant with the most calls was sent."""
    _gateway(logs)
    path = logs / "litellm" / "standard_logging.jsonl"
    lines = path.read_text(encoding="utf-8", errors="surrogatepass").splitlines(keepends=True)
    owners = [_owner(json.loads(line)) for line in lines]
    most = max(sorted(set(owners)), key=owners.count)
    kept = "".join(line for line, owner in zip(lines, owners, strict=True) if owner == most)
    path.write_text(kept, encoding="utf-8", errors="surrogatepass")


def _owner(payload: Mapping[str, Any]) -> str:
    metadata = payload["metadata"]
    tenant = (metadata.get("requester_metadata") or {}).get("tenant")
    header = (metadata.get("requester_custom_headers") or {}).get("x-tenant-id")
    user = (payload.get("end_user") or "").partition(":")
    return str(tenant or header or (user[0] if user[1] else "") or metadata.get("user_api_key_team_alias"))


KEEP = {"gateway": _gateway, "prefill": _engines("prefill"), "decode": _engines("decode"), "one-tenant": _one_tenant}


@pytest.mark.parametrize("side", SIDES)
def test_one_side_never_contradicts_the_whole(side: str, full: Full, tmp_path: Path) -> None:
    shutil.copytree(full.root / "logs", tmp_path / "logs")
    KEEP[side](tmp_path / "logs")
    scope = side if side in ("gateway", "one-tenant") else "provider"
    case = analysed(full.root, tmp_path / "logs", scope)
    pairs = [(row, whole) for row in verdicts(case) if (whole := _whole(row, full.verdicts))]
    assert pairs
    for row, whole in pairs:
        assert {row["integrity"], whole["integrity"]} != {"affected", "not_affected"}, (row, whole)
        if row["disclosure"] == "confirmed":
            assert row["source_tenant"] in (whole["source_tenant"], None), (row, whole)
    counts = _counted(case)
    counted = [(row, whole) for row, whole in pairs if row["tenant_class"] in ("customer", "unresolved")]
    truly = sum(whole["integrity"] == "affected" for _, whole in counted)
    unsure = len(verdicts(case)) - len(pairs)  # forged ids: one side alone cannot tell which of several it is
    assert counts["bounds"]["certain"] <= truly + unsure
    assert truly <= counts["bounds"]["possible"]
    assert LACKS[side] <= {each["what"] for each in counts["missing"]}
    if side == "one-tenant":
        assert not [row for row in verdicts(case) if row["integrity"] == "not_affected"]
        assert "cannot show that any response was not affected" in headline(counts)
    if side == "gateway":
        assert headline(counts).startswith("From a gateway's records alone: at least ")


def _counted(case: Case) -> dict[str, Any]:
    with connect(case) as con:
        prepare(con, case)
        return summary(con, case)


def _whole(row: Mapping[str, Any], full: list[dict[str, Any]]) -> Mapping[str, Any] | None:
    """Returns the full verdict of the same exchange: by the decode rid, the prefill rid, or the client's own id.

    What shares its ids with another exchange is left out: one side alone cannot tell which it is.
    """
    for name in ("decode_rid", "prefill_rid", "request_id"):
        if row[name] is not None:
            same = [each for each in full if each[name] == row[name]]
            return same[0] if len(same) == 1 else None
    return None


def test_an_unknown_scope_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForensicsError, match="unknown scope 'one tenant'") as wrong:
        Case.create(tmp_path / "case", 'scope = "one tenant"\n')
    assert "one-tenant" in str(wrong.value)
