"""What ``init --from`` suggests: workers by their files, zones by their stamps, tenants by who calls."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.case.config import load_config
from forensics.case.draft import RuleDraft, SourceDraft, Suggestions, template
from forensics.case.folder import Case
from forensics.ingest import tenants, workers, zones
from forensics.ingest.survey import suggest
from tests.ingest.test_clients import payload


def call(team: str | None = None, key: str = "k", **extra: Any) -> dict[str, Any]:
    """One gateway record's identity."""
    metadata = {
        "user_api_key_hash": key, "user_api_key_team_alias": team, "user_api_key_alias": extra.pop("alias", None),
        "user_api_key_org_alias": extra.pop("org", None), "requester_metadata": extra.pop("body", {}),
        "requester_custom_headers": extra.pop("headers", {}),
    }  # fmt: skip
    return {"metadata": metadata, "end_user": None, "request_tags": []} | extra


def names(calls: list[dict[str, Any]]) -> dict[str, int]:
    drafted = tenants.draft(calls)
    return dict(drafted.tenants) | ({"?": drafted.unresolved} if drafted.unresolved else {})


def test_teams_with_keys_of_their_own() -> None:
    calls = [
        call("Lune", "a"),
        call("Lune", "b"),
        call("Sol", "c", end_user="sol-u1"),
        call("Sol", "c", end_user="sol-u2"),
    ]
    assert names(calls) == {"Lune": 2, "Sol": 2}


def test_one_key_shared_in_three_ways_and_a_bad_one() -> None:
    calls = [
        call("Lune", "a"), call("Lune", "a", body={"tenant": "lune"}),
        call("Pool", "p", end_user="sol:u1"), call("Pool", "p", end_user="sol:u2"), call("Pool", "p", end_user="mare:u1"),
        call("Pool", "p", body={"tenant": "terra", "session": "s"}), call("Pool", "p", headers={"x-customer-id": "vela"}),
        call("Pool", "p", request_tags=["prod", "tenant:orion"]), call("Pool", "p"), call(None, "bad"),
    ]  # fmt: skip
    assert names(calls) == {"Lune": 2, "sol": 2, "mare": 1, "terra": 1, "vela": 1, "orion": 1, "?": 2}
    (owner, *_) = tenants.draft(calls).rules
    assert owner.ignore == ("Pool",)


def test_a_reseller_whose_header_names_the_tenant_every_time() -> None:
    calls = [call("Lune", "a"), *[call("Resellers", "r", headers={"X-Tenant-Id": "sol"})] * 3]
    assert names(calls) == {"Lune": 1, "sol": 3}


def test_organisations_over_teams() -> None:
    calls = [call("Research", "a", org="Lune"), call("Sales", "b", org="Lune"), call("Research", "c", org="Sol")]
    assert names(calls) == {"Lune": 2, "Sol": 1}


def test_key_aliases_under_a_pool_team() -> None:
    calls = [
        call("Partner pool", "a", alias="lune-prod"),
        call("Partner pool", "b", alias="sol-prod"),
        call("Mare", "c", alias="mare-prod"),
    ]
    assert names(calls) == {"lune-prod": 1, "sol-prod": 1, "Mare": 1}


def test_other_separators() -> None:
    assert names([call("Pool", "p", end_user="lune/u1"), call("Pool", "p", end_user="sol/u1")]) == {"lune": 1, "sol": 1}
    users = ["u1@lune.example", "u2@lune.example", "u1@sol.example", "u9@sol.example"]
    assert names([call("Shared", "p", end_user=user) for user in users]) == {"lune.example": 2, "sol.example": 2}


@given(
    st.lists(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=9),
            lambda x: st.dictionaries(st.text(max_size=9), x, max_size=3),
        ),
        max_size=4,
    )
)
def test_any_identity_is_looked_at(found: list[Any]) -> None:
    tenants.draft([{"metadata": value, "end_user": value} if isinstance(value, dict) else {} for value in found])


@settings(max_examples=30)
@given(st.text(), st.text(), st.text())
def test_the_template_is_read_back_whatever_it_quotes(
    tmp_path_factory: pytest.TempPathFactory, name: str, why: str, pattern: str
) -> None:
    found = Suggestions(
        sources=[SourceDraft({"files": name, "worker": name}, why)],
        rules=[RuleDraft(name, "$." + name, why, None, (name, pattern))],
        tenants=[(name, 3)],
    )
    path = tmp_path_factory.mktemp("draft") / "case.toml"
    path.write_text(template(name, found), encoding="utf-8", newline="")
    config = load_config(path)
    assert (config.title, config.source[0].files, config.tenant[0].name) == (name, name, name)
    assert config.tenant_rule[0].ignore == (name, pattern)


def test_an_empty_template_declares_nothing(tmp_path: Path) -> None:
    config = Case.create(tmp_path / "case", template("A case")).config
    assert (config.title, config.source, config.tenant_rule, config.window.start) == ("A case", (), (), None)
    assert (tmp_path / "case").stat().st_mode & 0o777 == 0o700


def file(
    path: str, role: str = "decode", address: str | None = None, form: str = "sglang_engine_log"
) -> dict[str, Any]:
    return {"path": path, "format": form, "role": role, "address": address, "weight": 1}


def drafted(files: list[dict[str, Any]], rids: dict[str, str] | None = None) -> dict[str, set[str]]:
    given_rids = [{"path": path, "rid": rid} for path, rids_ in (rids or {}).items() for rid in rids_]
    found: dict[str, set[str]] = {}
    for block in workers.draft(files, given_rids, [])[0]:
        found.setdefault(str(block.values["worker"]), set()).add(str(block.values["files"]))
    return found


def test_workers_by_folder() -> None:
    files = [
        file(f"dev/sglang/{name}/{part}", name[:-2])
        for name in ("decode-0", "decode-1", "prefill-0")
        for part in ("server.log", "req/h_0.log.gz")
    ]
    files.append(file("dev/sglang/server_info/prefill-0.json.gz", "prefill", "10.0.0.1:1", "sglang_server_info"))
    assert drafted(files) == {
        "decode-0": {"*/sglang/decode-0/*"}, "decode-1": {"*/sglang/decode-1/*"},
        "prefill-0": {"*/sglang/prefill-0/*", "*/sglang/server_info/prefill-0.*"},
    }  # fmt: skip


def test_one_worker_alone() -> None:
    assert drafted([file("decode-7/server.log"), file("decode-7/req/a.log")]) == {"decode-7": {"*/decode-7/*"}}


def test_workers_by_file_name_joined_by_their_ids() -> None:
    files = [
        file("logs/decode-0.log"),
        file("logs/decode-0_requests.log"),
        file("logs/decode-1.log"),
        file("logs/prefill-0.log.1.gz", "prefill"),
    ]
    rids = {
        "logs/decode-0.log": "ab",
        "logs/decode-0_requests.log": "b",
        "logs/decode-1.log": "x",
        "logs/prefill-0.log.1.gz": "b",
    }
    assert drafted(files, rids) == {
        "decode-0": {"*/decode-0.log*", "*/decode-0_requests.log*"}, "decode-1": {"*/decode-1.log*"}, "prefill-0": {"*/prefill-0.log*"},
    }  # fmt: skip


def test_workers_of_one_name_in_two_clusters() -> None:
    files = [
        file(f"logs/{cluster}/decode-0/{part}", address=cluster)
        for cluster in "ab"
        for part in ("server.log", "metrics/m.log")
    ]
    assert drafted(files) == {"a/decode-0": {"*/a/decode-0/*"}, "b/decode-0": {"*/b/decode-0/*"}}


def test_offsets_have_zones() -> None:
    hour = 3600 * 10**9
    assert [zones.name_of(round(hours * hour)) for hours in (0, 2, -5, 5.5, 2.01)] == [
        "UTC", "Etc/GMT-2", "Etc/GMT+5", "Asia/Kolkata", "Etc/GMT-2",
    ]  # fmt: skip


def test_init_from_logs_in_local_time(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (logs / "decode-0").mkdir(parents=True)
    (logs / "decode-0" / "server.log").write_text(
        "[2026-03-01 12:00:00] server_args={'model_path': '/m/heron-fp8', 'served_model_name': 'heron-fp8', 'host': '10.1.0.4', 'port': 31000, 'disaggregation_mode': 'decode'}\n"
        "[2026-03-01 12:00:06 TP0] ReqTimeStats(rid=aa11, bootstrap_room=99, input_len=260, cached_input_len=7, output_len=48, attempts=0, type=decode): entry_time=1772359205.125\n"
    )
    (logs / "vllm.log").write_text(
        "INFO 03-01 05:00:06 [x.py:1] Received request bb22: params: S(n=1), lora_request: None.\n"
    )
    calls = [
        payload(),
        payload(
            id="bb22",
            litellm_call_id="c2",
            model="hosted_vllm/owl",
            model_group="owl",
            response={"id": "bb22", "choices": []},
        ),
    ]
    (logs / "gateway.jsonl").write_text("".join(json.dumps(each) + "\n" for each in calls))
    found = suggest([logs])
    blocks = {block.values.get("worker"): block.values for block in found.sources}
    assert blocks["decode-0"] == {
        "files": "*/decode-0/*", "worker": "decode-0", "role": "decode", "zone": "Etc/GMT-2", "address": "10.1.0.4:31000",
    }  # fmt: skip
    assert (blocks["vllm"]["zone"], blocks["vllm"]["year"]) == ("Etc/GMT+5", 2026)
    assert (found.start, found.end) == ("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z")
    assert [(model.name, model.aliases) for model in found.models] == [("heron", ("heron-fp8",)), ("owl", ())]
    assert [backend.model for backend in found.backends] == ["owl"]
    assert found.tenants == [("lune", 2)]
