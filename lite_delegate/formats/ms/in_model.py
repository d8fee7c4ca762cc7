"""Constants that stay in the model's own files: their places there, and views of them, without reading them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...flatbuffer.mapping import is_unchanged
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import file_place, is_current

LOCATION = "model:"
"""Before the number of the file, and the order of the axes there, in the location of such constants."""


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model, with the digests of their contents.

    Attributes:
        contents: the mapped contents, the model's own file first.
        in_memory: whether the contents are a file that a caller has in memory, and do not change.
    """

    contents: Sequence[memoryview] = ()
    in_memory: bool = False

    def are_unchanged(self) -> bool:
        """Whether all are still at their paths, and were not written to since they were mapped."""
        return self.in_memory or all(map(is_unchanged, self.contents))

    def reference(self, array: np.ndarray[Any, Any]) -> Record | None:
        """The record of a constant's place; None where the constant does not lie in one of the files in one piece."""
        axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        place = file_place(array.transpose(axes))
        number = None if place is None else self._numbers.get(place.path.resolve())
        if place is None or number is None or not is_current(array) or not is_unchanged(self.contents[number]):
            return None
        location = f"{LOCATION}{number}:{','.join(map(str, axes))}"
        return {"location": location, "offset": place.offset, "length": place.nbytes}

    def read(self, location: str, offset: int, length: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes of a constant, as a read-only view.

        Raises:
            FormatProblem: there are no such files, or they do not have them.
        """
        number = int(location.removeprefix(LOCATION).partition(":")[0])
        if not self.contents:
            raise FormatProblem(
                f"{counted(length, 'byte')} of weights lie in the model's own file: entries of a cache "
                "are read with the model"
            )
        if not 0 <= number < len(self.contents) or not 0 <= offset <= offset + length <= len(self.contents[number]):
            raise FormatProblem(
                f"expected {counted(length, 'byte')} at {offset} in file {number} of the model, found fewer"
            )
        return np.frombuffer(self.contents[number], np.uint8, length, offset)

    @cached_property
    def _numbers(self) -> dict[Path, int]:
        paths = (getattr(content.obj, "path", None) for content in self.contents)
        return {path.resolve(): number for number, path in enumerate(paths) if path is not None}


def axes_there(location: str) -> tuple[int, ...] | None:
    """The order of a constant's axes where it lies; None for one that is somewhere else."""
    if not location.startswith(LOCATION):
        return None
    return tuple(map(int, location.rpartition(":")[2].split(",")))
