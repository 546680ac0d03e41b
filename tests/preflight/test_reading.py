"""What files may hold: hostile names, aliases, shells, half words, and statements that do not hold."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from forensics.errors import ForensicsError
from forensics.preflight import declared, documents, flags, statements
from forensics.preflight.process import Process
from forensics.preflight.run import preflight
from forensics.preflight.statements import Stated

HERE = Path(__file__).parent / "configurations"
STATED = '[[stated]]\ncheck = "{}"\nanswer = "{}"\nby = "us"\non = 2026-09-01\nhow = "tested"\n'


def told(folder: Path, content: str, name: str) -> list[Process]:
    """The processes that a file of this content declares."""
    path = folder / name
    path.write_text(content)
    return declared.read(path, name)


def test_numbers_are_read_as_the_engines_read_them() -> None:
    assert flags.count("128k") == 128_000
    assert flags.count("128K") == 131_072
    assert flags.count("1048576") == 1_048_576
    assert flags.count("auto") is None


def test_a_command_line_says_what_is_off_and_values_do_not(tmp_path: Path) -> None:
    (line,) = told(
        tmp_path, "python -m sglang.launch_server --context-length=4096 --disaggregation-mode prefill", "run.sh"
    )
    assert (line["settings"], line["context_tokens"], line["role"]) == (True, 4096, "prefill")
    (open_line,) = told(tmp_path, "vllm serve m --max-model-len 4096 $MORE", "run.sh")
    assert open_line["settings"] is False
    (values,) = told(tmp_path, "decode:\n  maxModelLen: 4096\n  image: registry/vllm-openai:v0.9.1\n", "values.yaml")
    assert (values["settings"], values["engine"], values["version"], values["role"]) == (
        False,
        "vllm",
        "0.9.1",
        "decode",
    )


def test_a_shell_in_a_container_and_a_connector_are_read(tmp_path: Path) -> None:
    manifest = """
containers:
- name: engine
  image: vllm/vllm-openai:v0.11.0
  command: [sh, -c]
  args:
  - |
    exec vllm serve /m --max-model-len 8192 \\
      --kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_consumer"}'
"""
    (process,) = told(tmp_path, manifest, "pod.yaml")
    assert (process["context_tokens"], process["role"], process["disaggregated"]) == (8192, "decode", True)
    assert process["process"] == "pod.yaml containers.engine"


def test_commands_of_one_script_are_told_apart(tmp_path: Path) -> None:
    command = "vllm serve m --max-model-len 4096 &\n"
    assert [each["process"] for each in told(tmp_path, command * 2, "run.sh")] == ["run.sh", "run.sh #2"]


def test_a_router_is_no_engine(tmp_path: Path) -> None:
    assert told(tmp_path, "python -m sglang_router.launch_router --pd-disaggregation --port 30000", "run.sh") == []


def test_aliases_cannot_explode(tmp_path: Path) -> None:
    bomb = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    assert told(tmp_path, bomb, "values.yaml") == []
    assert told(tmp_path, "a: &a\n  b: *a\n", "values.yaml") == []


@pytest.mark.parametrize(
    "content", ["a: {{ .Values.x }}\n  - b", "\x00\x01", "a: !!python/object:os.system x", "[" * 5000]
)
def test_what_cannot_be_read_is_a_problem_with_a_place(tmp_path: Path, content: str) -> None:
    (tmp_path / "values.yaml").write_text(content)
    found = preflight([tmp_path])
    (problem,) = found.problems
    assert (problem.where or "").startswith(str(tmp_path / "values.yaml"))
    assert problem.fix
    assert found.exit_code == 2


def test_a_log_without_a_start_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "decode.log").write_text("[2026-09-02 10:01:00] The server is fired up and ready to roll!\n")
    (problem,) = preflight([tmp_path]).problems
    assert problem.what == "it tells of no engine process (read as sglang_engine_log)"


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ForensicsError, match="no such file"):
        preflight([tmp_path / "nothing"])


def test_evidence_is_inert(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(
        '"]]><x>\\e[31m\\u202e":\n  contextLength: 4096\n  image: sglang:v0.5.11"<b>\n'
    )
    found = preflight([tmp_path])
    assert not found.problems
    for document in (documents.text(found), documents.as_json(found), documents.junit(found)):
        assert "\x1b" not in document
        assert "\u202e" not in document
    ET.fromstring(documents.junit(found))  # noqa: S314 - our own document


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[[stated]\n", "no TOML"),
        ("[stating]\n", "no table"),
        (STATED.format("a_pool", "pass"), "no check that a statement may answer"),
        (STATED.format("a_rejection_router", "maybe"), "answer is"),
        (STATED.format("a_rejection_prefill", "pass").replace('how = "tested"', 'how = " "'), "lacks"),
        (STATED.format("a_rejection_prefill", "pass") * 2, "stated twice"),
        ("[workers]\nprefill = -1\n", "whole numbers"),
        ("[workers]\nrouter = 1\n", "only"),
    ],
)
def test_statements_that_are_wrong_are_refused(tmp_path: Path, content: str, fault: str) -> None:
    path = tmp_path / "statements.toml"
    path.write_text(content)
    with pytest.raises(ForensicsError, match=fault) as error:
        statements.read(path, Stated())
    assert error.value.where == str(path)


def test_a_statement_mends_no_failure_and_holds_for_its_version_only(tmp_path: Path) -> None:
    path = tmp_path / "statements.toml"
    path.write_text(
        STATED.format("b_checksum", "pass")
        + STATED.format("f_verified", "fail")
        + STATED.format("a_rejection_prefill", "pass")
        + 'version = "0.5.22"\n'
    )
    rows = {each.check: each for each in preflight([HERE / "01-published", path]).rows}
    assert rows["b_checksum"].answer == "fail"
    assert "does not change that" in rows["b_checksum"].reason
    assert rows["f_verified"].answer == "fail"
    assert rows["a_rejection_prefill"].answer == "cannot_tell"
    assert "is for 0.5.22, not 0.5.17" in rows["a_rejection_prefill"].reason


def test_the_documented_statements_are_read_and_all_checks_are_documented(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "preflight.md").read_text(encoding="utf-8")
    path = tmp_path / "statements.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0])
    stated = Stated()
    statements.read(path, stated)
    assert stated.workers == {"prefill": 2, "decode": 4}
    assert stated.answers["a_rejection_prefill"].version == "0.5.23"
    names = statements.checks() | {row.check for row in preflight([HERE / "07-ranks-of-two-sizes"]).rows}
    assert all(f"`{name}`" in page for name in names)


def test_workers_that_were_not_shown_are_missed(tmp_path: Path) -> None:
    path = tmp_path / "statements.toml"
    path.write_text("[workers]\nprefill = 1\ndecode = 4\n")
    rows = {each.check: each for each in preflight([HERE / "01-published", path]).rows}
    assert rows["a_workers"].answer == "cannot_tell"
    assert "1 of 4 decode workers" in rows["a_workers"].reason


def test_a_log_and_an_answer_of_one_worker_are_one(tmp_path: Path) -> None:
    files = [HERE / "05-pools-of-log-lines" / "prefill-0.log", HERE / "02-sound" / "prefill-0.json"]
    path = tmp_path / "statements.toml"
    path.write_text("[workers]\nprefill = 2\ndecode = 0\n")
    found = preflight([*files, path])
    (workers,) = [each for each in found.rows if each.check == "a_workers"]
    assert workers.reason == "1 of 2 prefill and 0 of 0 decode workers were shown"
    assert {each.answer for each in found.rows if each.check == "a_version"} == {"pass"}


def test_many_that_say_the_same_are_told_once(tmp_path: Path) -> None:
    answer = (HERE / "01-published" / "prefill-0.json").read_text()
    for number in range(7):
        (tmp_path / f"prefill-{number}.json").write_text(answer)
    told = documents.text(preflight([tmp_path]))
    assert told.count("pool 681,280 under context 1,048,576") == 1
    assert "and 3 more" in told
    assert "7 prefill and 0 decode workers" in told


def test_a_manifest_may_be_json(tmp_path: Path) -> None:
    pod = {"command": ["vllm", "serve", "/m"], "args": ["--max-model-len", "4096"], "image": "vllm/vllm-openai:v0.11.0"}
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "items": [{"spec": {"containers": [pod, pod]}}]}))
    found = preflight([tmp_path])
    assert not found.problems
    assert len([each for each in found.rows if each.check == "a_pool"]) == 2


def test_absurd_numbers_are_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(
        f"decode:\n  contextLength: {'9' * 40}\n  pageSize: 0\n  image: lmsysorg/sglang:v4000000.99999999999.1\n"
    )
    answer = json.loads((HERE / "02-sound" / "decode-0.json").read_text())
    answer |= {"context_length": 0, "max_total_num_tokens": 0, "internal_states": [], "version": "999999.999999.999999"}
    (tmp_path / "decode-0.json").write_text(json.dumps(answer))
    found = preflight([tmp_path])
    assert not found.problems
    assert all(each.reason for each in found.rows)
