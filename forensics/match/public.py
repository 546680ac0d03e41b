"""Texts that anyone may recite: those the case declares, and a small shelf of licences and famous passages."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.match.engine import Library, Text

_SHELF = Path(__file__).parent / "public"


def public_texts(case: Case) -> list[Text]:
    """Returns the bundled texts and those that ``public_text`` of ``case.toml`` names, in a fixed order.

    A declared name is a path or a shell pattern, relative to the case folder. Raises if one names no file.
    """
    paths = sorted(_SHELF.glob("*.txt"))
    for name in case.config.public_text:
        declared = _declared(case.root, name)
        if not declared:
            raise ForensicsError(
                f"public_text names {name!r}, but there is no such file",
                where=str(case.root / "case.toml"),
                fix="Give a path or pattern relative to the case folder, or remove the line",
            )
        paths += declared
    return [_read(path, number) for number, path in enumerate(paths)]


def _declared(root: Path, name: str) -> list[Path]:
    path = Path(name).expanduser()
    found = path.parent.glob(path.name) if path.is_absolute() else root.glob(name)
    return sorted(each for each in found if each.is_file())


def _read(path: Path, number: int) -> Text:
    try:
        return Text(f"public|{number:06d}", None, path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ForensicsError(
            f"cannot read this public text ({error.strerror})", where=str(path), fix="Check its permissions"
        ) from error


class PublicFirst:
    """A library that reads public texts before a case's own."""

    def __init__(self, public: Sequence[Text], library: Library) -> None:
        self._public, self._library = public, library

    def __iter__(self) -> Iterator[Text]:
        yield from self._public
        yield from self._library

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns texts of the case; public ones are never asked for, since nothing leaks from them."""
        return self._library.fetch(text_ids)
