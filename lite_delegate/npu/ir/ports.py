"""BufferPort: the way of a graph kernel's tensor into a buffer of the device, or out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...basics.data_class import dataclass
from ...ir.axes import Axes
from ...tensors.tensor import Tensor
from .module import ModulePort


@dataclass(frozen=True, slots=True)
class BufferPort:
    """One tensor of a graph kernel, by number, and its buffer.

    Attributes:
        tensor: position among the inputs, or the outputs, of the graph kernel.
        buffer: of the program.
        axes: device axis i is axis ``axes[i]`` of the tensor; the copy that crosses does this packing.
    """

    tensor: int
    buffer: int
    axes: Axes


def buffer_ports(ports: Iterable[ModulePort], tensors: Sequence[Tensor]) -> tuple[BufferPort, ...]:
    """``ports`` by the numbers that their tensors have in ``tensors``; all of these are there."""
    position = {tensor: i for i, tensor in enumerate(tensors)}
    return tuple(BufferPort(position[port.tensor], port.buffer, port.axes) for port in ports)
