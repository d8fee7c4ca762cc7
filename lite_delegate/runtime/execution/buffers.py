"""Buffers that last from run to run, for graph kernels that are bound to arrays (``Kernel.bind``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import call, is_
from typing import Any
from weakref import ref

import numpy as np
from lite_delegate_kernels import Array

from ...delegate import Kernel
from ...delegate.bound_kernel import is_bindable, offered

KEPT_BYTES = 64 << 10
"""Of all outputs of a graph kernel: up to here, to copy them for who keeps them takes less time than to bind others."""


def keeps_outputs(kernel: Kernel) -> bool:
    """Whether a graph kernel writes to the same outputs in each run, so that what it gives is lent."""
    return is_bindable(kernel) and sum(t.data_size for t in kernel.outputs) <= KEPT_BYTES


class Binding:
    """What a graph kernel is bound to, and the call that runs it.

    Inputs are known again without being kept: of an array that is gone, nothing is.

    Args:
        kernel: with ``bind``.
        keeps: whether its outputs are the same arrays in each run; else each run has new ones.
    """

    __slots__ = ("_keeps", "_kernel", "_number", "_read", "outputs", "run")

    def __init__(self, kernel: Kernel, *, keeps: bool) -> None:
        self._kernel, self._keeps = kernel, keeps
        self._number = sum(not t.is_const for t in kernel.inputs)
        self._read: Sequence[Callable[[], Any]] = ()
        self.outputs: tuple[Array, ...] = ()
        self.run: Callable[[], object] | None = None

    def holds(self, arrays: Sequence[Array]) -> bool:
        """Whether ``run`` reads these arrays and no others, and may write to ``outputs``."""
        return self._keeps and self.run is not None and all(map(is_, arrays, map(call, self._read)))

    def bind(self, arrays: Sequence[Array], seen: Sequence[Array]) -> Callable[[], object] | None:
        """Binds the graph kernel to inputs and to outputs of its own; the call; None where it takes none of these.

        Args:
            arrays: the inputs.
            seen: as the kernel is to see them.
        """
        self.run = None
        if not all(type(array) is np.ndarray and array.flags.c_contiguous for array in seen[: self._number]):
            return None
        if not (self._keeps and self.outputs):
            self.outputs = offered(self._kernel.outputs)
        self.run = self._kernel.bind(seen[: self._number], self.outputs)
        self._read = [ref(array) for array in arrays[: self._number]]
        return self.run

    def taken(self, *, copies: bool) -> tuple[Array, ...]:
        """What the run has given."""
        outputs = self.outputs
        if not self._keeps:
            self.outputs = ()
            return outputs
        return tuple(array.copy() for array in outputs) if copies else outputs

    def drop(self) -> None:
        """After a failure: nothing is bound any more."""
        self.run, self._read, self.outputs = None, (), ()
