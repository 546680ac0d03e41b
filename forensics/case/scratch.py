"""A scratch case in a case's ``work``: evidence, tables and lock of its own, declarations that are given, not read."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from forensics.case.config import CaseConfig
from forensics.case.folder import Case


@dataclass(frozen=True)
class Scratch(Case):
    """A case folder with given ``settings``, and the site's ``rules`` of the case that it stands beside."""

    settings: CaseConfig
    rules: Path | None

    @cached_property
    def config(self) -> CaseConfig:
        """The declarations it was made with."""
        return self.settings

    @property
    def site(self) -> Path | None:
        """The site's own queries of the case that it stands beside."""
        return self.rules


@contextmanager
def beside(case: Case, name: str, settings: CaseConfig) -> Iterator[Scratch]:
    """Yields an empty scratch case called ``name``, and removes it whatever happens."""
    root = case.work / name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(mode=0o700)
    try:
        yield Scratch(root.resolve(), settings, case.site.resolve() if case.site else None)
    finally:
        shutil.rmtree(root, ignore_errors=True)
