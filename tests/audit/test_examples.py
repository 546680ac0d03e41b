"""The examples of docs/audit.md do what they say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from forensics.audit.config import load

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "audit"


def _installed(folder: Path) -> dict[str, str]:
    """Returns an environment in which ``forensics`` is this checkout's, and an audit of an empty folder is declared."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "forensics"
    call = "from forensics.cli.app import main; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{call}" "$@"\n')
    program.chmod(0o755)
    (folder / "logs").mkdir()
    (folder / "case.toml").write_text('title = "Nightly"\n')
    (folder / "audit.toml").write_text('inputs = ["logs"]\n[output]\nprometheus = "audit.prom"\n')
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": root}


def test_the_example_declares_what_is_known() -> None:
    config = load(EXAMPLES / "audit.toml")
    assert config.keep.retention == "fingerprints"
    assert [each.worker for each in config.expect] == ["gateway", "decode-0"]


def test_the_crontab_runs_an_audit(tmp_path: Path) -> None:
    lines = [line for line in (EXAMPLES / "crontab").read_text().splitlines() if line and not line.startswith("#")]
    settings = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))
    (job,) = [line for line in lines if not re.match(r"[A-Z_]+=", line)]
    fields, command = job.split(maxsplit=5)[:5], job.split(maxsplit=5)[5]
    assert all(re.fullmatch(r"[0-9*/,-]+", field) for field in fields)
    environment = {**_installed(tmp_path), **settings, "FORENSICS_AUDIT": str(tmp_path / "audit.toml")}
    assert "FORENSICS_AUDIT" in settings
    done = subprocess.run(
        ["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "run 1 at" in done.stdout
    assert "ended with" not in done.stdout
    assert "forensics_audit_exit_code 0" in (tmp_path / "audit.prom").read_text()
    assert (tmp_path / "store" / "trend.html").exists()


def test_the_systemd_units_are_sound(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    service = (EXAMPLES / "forensics-audit.service").read_text()
    timer = (EXAMPLES / "forensics-audit.timer").read_text()
    assert re.search(r"^ExecStart=/usr/bin/env forensics audit /\S+\.toml$", service, re.MULTILINE)
    assert re.search(r"^OnCalendar=\*-\*-\* \d\d:\d\d:\d\d UTC$", timer, re.MULTILINE)
    if analyze is None:
        pytest.skip("systemd-analyze is absent: the units were read, not verified")
    units = [tmp_path / "forensics-audit.service", tmp_path / "forensics-audit.timer"]
    for unit, text in zip(units, (service, timer), strict=True):
        unit.write_text(text)
    done = subprocess.run(
        [analyze, "verify", "--man=no", *units], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Unknown" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_the_service_runs_an_audit(tmp_path: Path) -> None:
    service = (EXAMPLES / "forensics-audit.service").read_text()
    (command,) = re.findall(r"^ExecStart=(.+)$", service, re.MULTILINE)
    environment = _installed(tmp_path)
    program, *arguments = command.replace("/etc/forensics/audit.toml", str(tmp_path / "audit.toml")).split()
    done = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("run 1 at")


def test_the_cronjob_runs_one_audit_at_a_time() -> None:
    job = yaml.safe_load((EXAMPLES / "cronjob.yaml").read_text())
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
    template = job["spec"]["jobTemplate"]["spec"]
    assert template["backoffLimit"] == 0
    assert template["template"]["spec"]["containers"][0]["args"][:2] == ["forensics", "audit"]
