"""BoundKernel: a graph kernel of which ``bind`` is all; and which kernels can be bound."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from ..ir import DataType, has_numpy, to_numpy
from ..tensors.tensor import Array, Tensor
from .kernel import Kernel


class BoundKernel(Kernel):
    """A graph kernel that reads arrays and writes to arrays that it is offered: ``bind`` is what a subclass implements.

    ``execute`` binds it to the contents of its tensors, and to new arrays.
    """

    gives_new_arrays = True

    @abstractmethod
    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """As ``Kernel.bind``; it takes every set of buffers."""

    def execute(self) -> None:
        """Runs once, over new outputs.

        Raises:
            DelegateExecuteError: it failed.
        """
        inputs = [np.asarray(t.data, order="C") for t in self.inputs if not t.is_const]
        outputs = offered(self.outputs)
        self.bind(inputs, outputs)()
        for tensor, array in zip(self.outputs, outputs, strict=True):
            tensor.data = array


def is_bindable(kernel: Kernel) -> bool:
    """Whether a graph kernel has a ``bind`` that stands for its ``execute``, and outputs that can be offered to it.

    A subclass that overrides ``execute`` alone is not bound: its ``execute`` would be bypassed.
    """
    first = next(each for each in type(kernel).__mro__ if "bind" in vars(each) or "execute" in vars(each))
    if "bind" not in vars(first) or first is Kernel or "execute" in vars(kernel):
        return False
    return kernel.memory_owner is None and all(map(_can_be_offered, kernel.outputs))


def _can_be_offered(tensor: Tensor) -> bool:
    return tensor.has_known_shape and tensor.dtype != DataType.STRING and has_numpy(tensor.dtype)


def offered(tensors: Sequence[Tensor]) -> tuple[Array, ...]:
    """New arrays for the contents of tensors."""
    return tuple(np.empty(t.shape, to_numpy(t.dtype)) for t in tensors)
