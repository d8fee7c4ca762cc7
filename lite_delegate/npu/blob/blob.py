"""Blob: a compiled run outside of a process."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...tensors.tensor import Tensor
from ..device.programs.instruction import Array
from ..device.programs.program import Program
from ..ir.ports import BufferPort

MAJOR = 1
"""Raised when blobs of before cannot be read any more."""
MINOR = 0
"""Raised when something is added that readers of before may ignore."""


@dataclass(frozen=True, slots=True)
class BlobModel:
    """One program with its constants.

    Attributes:
        constants: contents of the constant buffers, in the element type of device memory.
    """

    program: Program
    inputs: tuple[BufferPort, ...]
    outputs: tuple[BufferPort, ...]
    constants: Mapping[int, Array]


@dataclass(frozen=True, slots=True)
class BlobOrigin:
    """The device and the options that a blob was compiled for.

    Attributes:
        profile: its name.
        profile_hash: of its values; another device may have the same name.
        driver_version: of the device.
        options: that were set, by name.
    """

    profile: str
    profile_hash: str
    driver_version: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Blob:
    """A compiled run.

    Attributes:
        origin: the device and the options that it was compiled for.
        graph: the name of the graph kernel.
        inputs: the tensors that it takes, without contents.
        outputs: the tensors that it gives, without contents.
        models: the programs; each may run on its own.
    """

    origin: BlobOrigin
    graph: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    models: tuple[BlobModel, ...]
