"""Buffers that last from run to run, for graph kernels that are bound to arrays (``Kernel.bind``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np
from lite_delegate_kernels import Array

from ...delegate import Kernel
from ...delegate.bound_kernel import is_bindable, offered
from .room import Room

KEPT_BYTES = 16 << 10
"""Of all outputs of a graph kernel: up to here, to copy them takes less time than to look who has them."""
LASTING_BYTES = 4 << 20
"""Up to here they have rooms; larger ones are new in each run, since rooms take memory between runs, too."""


def keeps_outputs(kernel: Kernel) -> bool:
    """Whether a graph kernel writes to the same outputs in each run, so that its results are copied."""
    return is_bindable(kernel) and _nbytes(kernel) <= KEPT_BYTES


def has_rooms(kernel: Kernel) -> bool:
    """Whether a graph kernel that can be bound writes to rooms, which nobody else holds during the run."""
    return KEPT_BYTES < _nbytes(kernel) <= LASTING_BYTES


def _nbytes(kernel: Kernel) -> int:
    return sum(t.data_size for t in kernel.outputs)


class Binding:
    """The arrays that a graph kernel is bound to, and the call that runs it.

    Inputs are recognized without being kept alive: the binding holds weak references.

    Args:
        kernel: the graph kernel, which has ``bind`` and has no other binding.

    Attributes:
        again: runs the graph kernel over the inputs of ``first`` and ``others``; None: the kernel has to be bound.
        first: gives the first input, if the array still exists.
        others: give the further inputs.
    """

    __slots__ = ("_keeps", "_kernel", "_number", "_outputs", "_rooms", "again", "first", "others")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._rooms = tuple(map(Room, kernel.outputs)) if has_rooms(kernel) else ()
        self._keeps = bool(self._rooms) or keeps_outputs(kernel)
        self._number = sum(not t.is_const for t in kernel.inputs)
        self._outputs: tuple[Array, ...] = ()
        self.again: Callable[[], object] | None = None
        self.first: Callable[[], Any] = _nothing
        self.others: Sequence[Callable[[], Any]] = ()

    @property
    def is_free(self) -> bool:
        """Whether nobody holds the results of earlier runs, so that the next run may write to their memory."""
        return not self._rooms or all(room.taken() is None for room in self._rooms)

    def move(self) -> None:
        """Leaves the rooms to the holders of their contents."""
        self.again, self._outputs = None, ()
        self._rooms = tuple(map(Room, self._kernel.outputs))

    def bind(self, arrays: Sequence[Array], seen: Sequence[Array]) -> Callable[[], object] | None:
        """Binds the graph kernel to inputs and to outputs of its own. Returns the call; None where it cannot be bound.

        Args:
            arrays: the inputs.
            seen: as the kernel is to see them.
        """
        self.again = None
        seen = seen[: self._number]
        if not all(type(array) is np.ndarray and array.flags.c_contiguous for array in seen):
            return None
        if not (self._keeps and self._outputs):
            rooms = self._rooms
            self._outputs = tuple(room.array() for room in rooms) if rooms else offered(self._kernel.outputs)
        run = self._kernel.bind(seen, self._outputs)
        if self._keeps and seen:
            self.first, *self.others = map(ref, arrays[: self._number])
            self.again = run
        return run

    def given(self) -> tuple[Array, ...]:
        """The output arrays of the next run. Asked for before the run, while their addresses are in the processor's
        caches.
        """
        rooms = self._rooms
        if rooms:
            return (rooms[0].lend(),) if len(rooms) == 1 else tuple([room.lend() for room in rooms])
        outputs = self._outputs
        if not self._keeps:
            self._outputs = ()
        return outputs


class Bindings:
    """The bindings of one graph kernel. A run takes a binding whose results nobody holds any more.

    As a rule a caller holds the results of one run while the next run is under way, so two bindings take turns. A
    caller that keeps more results keeps their memory, and another binding is made.

    Args:
        kernel: the graph kernel, which has ``bind``.
        more: forks the graph kernel.
    """

    def __init__(self, kernel: Kernel, more: Callable[[], Kernel]) -> None:
        self._kernel, self._more = kernel, more
        self._bindings: tuple[Binding, ...] = (Binding(kernel),)

    def next(self) -> Binding:
        """One for a run."""
        for binding in self._bindings:
            if binding.is_free:
                return binding
        if len(self._bindings) == 1:
            self._bindings = (*self._bindings, Binding(self._more()))
        else:
            self._bindings = self._bindings[::-1]
            self._bindings[1].move()
        return self._bindings[1]

    def drop(self) -> None:
        """After a failure: nothing is bound any more."""
        self._bindings = (Binding(self._kernel),)


def _nothing() -> None:
    """No input."""
