"""What a sweep has done so far, kept in a folder so that an interrupted run goes on where it stopped."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_STEP: Final = 1 << 24  # values written in one go: an interrupt waits for no more

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class State:
    """A folder of finished steps; each is written aside and renamed, so that it is there whole or not at all.

    ``key`` says what the steps were made from: those of another key are removed.
    """

    folder: Path
    key: str

    @classmethod
    def open(cls, folder: Path, key: str) -> "State":
        """Returns the state for ``key``; what other inputs or settings left behind is removed."""
        if folder.exists() and not (folder / key).is_dir():
            shutil.rmtree(folder)
        (folder / key).mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(folder, key)

    def load(self, step: str) -> dict[str, npt.NDArray[Any]] | None:
        """Returns the arrays of a finished step, or None."""
        path = self.folder / self.key / step
        if not path.is_dir():
            return None
        return {each.stem: np.load(each) for each in sorted(path.glob("*.npy"))}

    def save(self, step: str, arrays: Arrays) -> None:
        """Keeps the arrays of a step."""
        path = self.folder / self.key / step
        aside = path.with_name(f"{step}.part")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(mode=0o700)
        for name, values in arrays.items():
            _write(aside / f"{name}.npy", values)
        shutil.rmtree(path, ignore_errors=True)
        aside.rename(path)

    def drop(self, step: str) -> None:
        """Removes a step that is no longer needed."""
        shutil.rmtree(self.folder / self.key / step, ignore_errors=True)

    def close(self) -> None:
        """Removes everything: the sweep is done."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _write(path: Path, values: npt.NDArray[Any]) -> None:
    values = np.ascontiguousarray(values)
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(values))
        flat = values.reshape(-1)
        for begin in range(0, len(flat), _STEP):
            file.write(flat[begin : begin + _STEP].tobytes())
