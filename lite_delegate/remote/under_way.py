"""OnDevice: what of a run under way is in the memory of devices, told to the graph kernels that run."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

import numpy as np
from lite_delegate_kernels import Array

from .tensor import RemoteTensor

_UNDER_WAY: ContextVar[OnDevice | None] = ContextVar("lite_delegate_on_device", default=None)


class OnDevice:
    """The remote tensors of one run.

    A graph kernel whose device owns the memory reads such an input where it is, and leaves such an output there: no
    transfer. Whoever does not look at this gets, and gives, arrays as ever.
    """

    def __init__(self) -> None:
        self._inputs: list[tuple[RemoteTensor, Array]] = []
        self._outputs: dict[tuple[str, int], object] = {}

    def add_input(self, tensor: RemoteTensor) -> Array:
        """A remote tensor is read where it is; its array.

        Raises:
            RemoteError, DeviceLost: see ``RemoteTensor.memory``.
        """
        array = tensor.memory
        self._inputs.append((tensor, array))
        return array

    def add_output(self, owner: object, kernel: str, position: int) -> None:
        """An output of a graph kernel is to stay in a device's memory."""
        self._outputs[kernel, position] = owner

    def has(self, owner: object, array: Array) -> bool:
        """Whether an array that a graph kernel reads is in the memory of its device."""
        return any(
            tensor.context.memory.owner is owner and np.may_share_memory(array, mine) for tensor, mine in self._inputs
        )

    def bring_to_host(self, arrays: Sequence[Array]) -> None:
        """The host reads arrays after all, in place of a device that failed.

        Raises:
            DeviceLost: what one of them held was lost with its device.
        """
        for tensor, mine in self._inputs:
            if any(np.may_share_memory(array, mine) for array in arrays):
                tensor.context.taken(tensor.memory.nbytes)

    def keeps(self, owner: object, kernel: str, position: int) -> bool:
        """Whether an output of a graph kernel, by its name and the output's position, stays on its device."""
        return self._outputs.get((kernel, position)) is owner


def on_device() -> OnDevice | None:
    """What of the run that this thread computes is in the memory of devices; None, as a rule: nothing."""
    return _UNDER_WAY.get()


def forget() -> None:
    """Nothing is in the memory of devices, for the rest of the ``contextvars.Context``: it computes other runs, too."""
    _UNDER_WAY.set(None)


def noted() -> OnDevice:
    """The same to be added to, for the rest of the ``contextvars.Context`` that the caller runs in."""
    found = _UNDER_WAY.get()
    if found is None:
        found = OnDevice()
        _UNDER_WAY.set(found)
    return found
