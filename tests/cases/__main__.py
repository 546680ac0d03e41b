"""Writes the expectations of all stories again, or of those that are named."""

import sys
import tempfile
from pathlib import Path

from tests.cases.story import HERE, STORIES, run, tell, written


def main() -> None:
    """Writes each story's ``expect.yml``."""
    for story in sys.argv[1:] or STORIES:
        with tempfile.TemporaryDirectory() as folder:
            text = written(tell(story, *run(story, Path(folder))))
        (HERE / story / "expect.yml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
