"""DeviceFile: a graph kernel as its device's own runtime loads it, without this package."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True, eq=False)
class DeviceFile(Brief):
    """The content of a file for a device.

    Attributes:
        content: the bytes of the file.
        suffix: the suffix of such files, as ".onnx".
        runtime: the program that loads the file, in words.
    """

    content: bytes
    suffix: str
    runtime: str
