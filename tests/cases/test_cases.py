"""Every story's evidence is recognised, unambiguously, and gives the expected rows."""

from pathlib import Path

import pytest
import yaml

from forensics.ingest.detect import votes
from forensics.ingest.formats import Formats
from forensics.ingest.streams import survey
from tests.cases.story import HERE, STORIES, digest, evidence, run, tell, written

EXPECTED = {story: yaml.safe_load((HERE / story / "expect.yml").read_text(encoding="utf-8")) for story in STORIES}


@pytest.mark.parametrize("story", STORIES)
def test_story(story: str, tmp_path: Path) -> None:
    assert EXPECTED[story]["_hash"] == digest(story), "its inputs changed: run python -m tests.cases and read the diff"
    told = tell(story, *run(story, tmp_path))
    assert yaml.safe_load(written(told)) == EXPECTED[story]


@pytest.mark.parametrize("story", STORIES)
def test_each_file_is_of_one_format_only(story: str, tmp_path: Path) -> None:
    formats = Formats(None)
    logs = evidence(story, tmp_path)
    known = {each["path"]: each["format"] for each in EXPECTED[story]["files"]}
    for path in sorted(each for each in logs.rglob("*") if each.is_file()):
        label = path.relative_to(tmp_path).as_posix()
        if label in known:
            assert list(votes(survey(path, label).head, label, formats, path).counts) == [known[label]], label


def test_every_format_has_a_story() -> None:
    told = {each["format"] for story in EXPECTED.values() for each in story["files"]}
    assert told == set(Formats(None).by_name)
