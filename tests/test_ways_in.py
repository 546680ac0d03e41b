"""The same evidence as files, an archive, objects of a store or a pipe: the same exports and letters, byte for byte."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from forensics.case.folder import Case
from forensics.ingest.gather import Pipe
from forensics.ingest.run import ingest
from tests.ingest import store
from tests.stories.writers import plain_story
from tests.test_road import published

NAMES_FILES = {"incident.html", "incident.json", "incident.md", "run.json"}
"""What says where the evidence lies, and so may differ."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("story")
    plain_story(folder)
    with tarfile.open(folder / "whole.tar.gz", mode="w:gz") as archive:
        archive.add(folder / "logs", "logs")
    with tarfile.open(folder / "flat.tar.xz", mode="w:xz") as archive:
        archive.add(folder / "logs", ".")
    return folder


@pytest.fixture(scope="module")
def wanted(story: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return exported(tmp_path_factory.mktemp("files") / "case", story, story / "logs")


def exported(folder: Path, story: Path, given: Path | str, pipe: Pipe | None = None) -> dict[str, bytes]:
    case = Case.create(folder, (story / "case.toml").read_text(encoding="utf-8"))
    assert ingest(case, [given], pipe=pipe).problems == []
    return {name: data for name, data in published(case).items() if name not in NAMES_FILES}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    pytest.importorskip("moto")
    with store.served() as address:
        yield address


def test_as_an_archive(story: Path, wanted: dict[str, bytes], tmp_path: Path) -> None:
    assert exported(tmp_path / "case", story, story / "whole.tar.gz") == wanted


def test_through_a_pipe(story: Path, wanted: dict[str, bytes], tmp_path: Path) -> None:
    pipe = Pipe(io.BytesIO((story / "flat.tar.xz").read_bytes()))
    assert exported(tmp_path / "case", story, "-", pipe) == wanted


def test_as_objects(
    story: Path, wanted: dict[str, bytes], tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in store.KEYS.items():
        monkeypatch.setenv(name, value)
    query = store.put(server, story / "logs", "evidence")
    assert exported(tmp_path / "case", story, f"s3://evidence/{query}") == wanted
