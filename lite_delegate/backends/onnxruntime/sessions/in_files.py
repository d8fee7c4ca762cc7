"""Constants in the model's own file: ONNX Runtime reads them there, and releases each one after packing it.

Handed over from memory, the file's pages stay beside ONNX Runtime's packed copies until the session is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ....basics.data_class import dataclass
from ....ir import file_place, is_current
from ....tensors.tensor import Array

FOLDER = "session.model_external_initializers_file_folder_path"
"""The entry of ONNX Runtime's session configuration that says where such files are; there is one folder."""


@dataclass(frozen=True, slots=True)
class Referred:
    """Where a constant is in a file.

    Attributes:
        folder: of the file, without symbolic links: ONNX Runtime reads no file outside it.
        name: of the file.
        offset: of the first byte.
    """

    folder: Path
    name: str
    offset: int


def referred(array: Array) -> Referred | None:
    """Where a constant is in a file; None where it is in memory only."""
    place = file_place(array)
    if place is None:
        return None
    path = place.path.resolve()
    return Referred(path.parent, path.name, place.offset)


def folder_of(outside: Mapping[str, Array]) -> Path | None:
    """The folder of the first constant that lies in a file; all other constants are read there too."""
    found = (referred(array) for array in outside.values())
    return next((place.folder for place in found if place is not None), None)


def in_folder(outside: Mapping[str, Array], folder: Path) -> Mapping[str, Array]:
    """The constants that lie in files of a folder."""
    found = {name: referred(array) for name, array in outside.items()}
    return {name: outside[name] for name, place in found.items() if place is not None and place.folder == folder}


def are_current(arrays: Mapping[str, Array]) -> bool:
    """Whether the files in which arrays lie are still the mapped files, unchanged."""
    return all(is_current(array) for array in arrays.values())
