"""Building: the model that a delegate builds, whose replacements the parent is told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...delegate import Delegate, Kernel
from ...delegate.calls.calls import build
from ...delegate.model import building, view_of
from ...delegate.order import KernelOrder
from ...errors import DelegateBuildError
from ..passing.messages import BuildEvent, GraphNote, Snapshot
from .faults import fault_of_error
from .mirrors import Mirrors

Tell = Callable[[BuildEvent], None]


class ToldBooks:
    """The books of a model that tell of each call of the delegate.

    Args:
        mirrors: the kernels and tensors.
        snapshot: the model.
        tell: is called with each event.
    """

    def __init__(self, mirrors: Mirrors, snapshot: Snapshot, tell: Tell) -> None:
        self._mirrors, self._tell = mirrors, tell
        kernels = mirrors.kernels(snapshot.order)
        tensors = [mirrors.tensors(each) for each in (snapshot.inputs, snapshot.outputs, snapshot.variables)]
        self.order = KernelOrder(kernels, *tensors)
        self._kept = frozenset(mirrors.kernels(snapshot.kept))
        self._nodes = frozenset(kernels)
        self._runs = [tuple(mirrors.kernels(run)) for run in snapshot.runs]

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        """The planned runs that have not been replaced yet."""
        return tuple(run for run in self._runs if all(kernel in self.order for kernel in run))

    def obstacle(self, kernel: Kernel) -> str:
        """Why the delegate may not replace a kernel, "" where it may."""
        if kernel in self._nodes and kernel not in self._kept:
            return ""
        return f"Kernel '{kernel.name}' ({kernel.type}) is not offered to the delegate."

    def looked_at(self, run: Sequence[Kernel], *, is_boundary: bool) -> None:
        """The delegate took a stretch of kernels in hand."""
        if run and run[0] in self.order:
            start = self.order.position(run[0])
            self._tell(BuildEvent("looked_at", (start, start + len(run), is_boundary)))

    def replace(self, start: int, stop: int, kernel: Kernel) -> None:
        """Puts a graph kernel in place of a stretch.

        Raises:
            DelegateBuildError: as ``KernelOrder.replace`` says.
        """
        try:
            note = self._mirrors.keep(kernel)
            self.order.replace(start, stop, kernel, self.obstacle)
        except DelegateBuildError:
            self._tell(BuildEvent("rejected", (start, stop)))
            raise
        self._tell(BuildEvent("replace", (start, stop, note)))

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        """The graph kernel for a stretch could not be made."""
        self._tell(BuildEvent("mark_failed", (*self.order.span(run), fault_of_error(failure))))


def created(delegate: Delegate, mirrors: Mirrors, snapshot: Snapshot, run: Sequence[int]) -> GraphNote:
    """Calls ``create_graph_kernel`` for a run.

    Raises:
        Exception: what it raises.
    """
    model = view_of(ToldBooks(mirrors, snapshot, lambda event: None))
    with building(model):
        return mirrors.keep(delegate.create_graph_kernel(tuple(mirrors.kernels(run)), model))


def build_all(delegate: Delegate, mirrors: Mirrors, snapshot: Snapshot, tell: Tell) -> None:
    """Calls ``build``.

    Raises:
        Exception: what it raises.
    """
    build(delegate, view_of(ToldBooks(mirrors, snapshot, tell)))


def built_again(delegate: Delegate, mirrors: Mirrors, snapshot: Snapshot, run: Sequence[int]) -> GraphNote:
    """Calls ``build`` with a model that offers one run only, and gives the graph kernel that replaces the run.

    Raises:
        DelegateBuildError: it does not replace the run as before.
        Exception: what it raises.
    """
    offered = frozenset(run)
    kept = frozenset(number for number in snapshot.order if number not in offered)
    notes: list[GraphNote] = []

    def hear(event: BuildEvent) -> None:
        match event.arguments:
            case (int(start), int(stop), GraphNote() as note) if snapshot.order[start:stop] == tuple(run):
                notes.append(note)

    only = replace(snapshot, runs=(tuple(run),), kept=kept)
    build(delegate, view_of(ToldBooks(mirrors, only, hear)))
    if len(notes) == 1:
        return notes[0]
    raise DelegateBuildError("build replaces other kernels when it is called again for the same ones.")
