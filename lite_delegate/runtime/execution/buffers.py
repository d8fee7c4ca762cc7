"""Buffers that last from run to run, for graph kernels that are bound to arrays (``Kernel.bind``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    Attributes:
        again: runs it over the inputs of ``first`` and ``others``, and ``outputs``; None: it has to be bound.
        first: gives the first input, if that is still there.
        others: give the others.
        outputs: what it gives.
    """

    __slots__ = ("_keeps", "_kernel", "_number", "again", "first", "others", "outputs")

    def __init__(self, kernel: Kernel, *, keeps: bool) -> None:
        self._kernel, self._keeps = kernel, keeps
        self._number = sum(not t.is_const for t in kernel.inputs)
        self.again: Callable[[], object] | None = None
        self.first: Callable[[], Any] = _nothing
        self.others: Sequence[Callable[[], Any]] = ()
        self.outputs: tuple[Array, ...] = ()

    def bind(self, arrays: Sequence[Array], seen: Sequence[Array]) -> Callable[[], object] | None:
        """Binds the graph kernel to inputs and to outputs of its own; the call; None where it takes none of these.

        Args:
            arrays: the inputs.
            seen: as the kernel is to see them.
        """
        self.again = None
        seen = seen[: self._number]
        if not all(type(array) is np.ndarray and array.flags.c_contiguous for array in seen):
            return None
        if not (self._keeps and self.outputs):
            self.outputs = offered(self._kernel.outputs)
        run = self._kernel.bind(seen, self.outputs)
        if self._keeps and seen:
            self.first, *self.others = map(ref, arrays[: self._number])
            self.again = run
        return run

    def taken(self, *, copies: bool) -> tuple[Array, ...]:
        """What the run has given."""
        outputs = self.outputs
        if not self._keeps:
            self.outputs = ()
            return outputs
        return tuple(array.copy() for array in outputs) if copies else outputs

    def drop(self) -> None:
        """After a failure: nothing is bound any more."""
        self.again, self.first, self.others, self.outputs = None, _nothing, (), ()


def _nothing() -> None:
    """No input."""
