"""GraphDraft: a graph while delegates replace parts of it, with the graph kernels so far and the failures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ...delegate import Boundary, Kernel
from ...delegate.model import nested
from ...delegate.order import KernelOrder
from ...errors import DelegateBuildError
from ...tensors.tensor import Tensor
from .in_hand import InHand


class GraphDraft:
    """The kernels of a graph, graph kernels among them, and the rules by which a delegate may replace more kernels.

    A delegate sees it as a ``DelegateModel`` (``delegate.model.view_of``).

    Args:
        kernels: in execution order.
        inputs: of the graph.
        outputs: of the graph.
        runs: the stretches, as half-open ranges in ``kernels``, that the partitioner planned from the claims.
        fixed: kernels that stay where they are: control flow, tensor lists and assignments belong to the runtime.
        variables: tensors that have contents from the start and that ``fixed`` kernels change.
        replaced: the graph kernels that other delegates put among ``kernels``, and what each stands for.
    """

    def __init__(
        self,
        kernels: Iterable[Kernel],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        runs: Sequence[range] = (),
        fixed: Collection[Kernel] = (),
        variables: Sequence[Tensor] = (),
        replaced: Mapping[Kernel, Sequence[Kernel]] = MappingProxyType({}),
    ) -> None:
        self.order = KernelOrder(kernels, inputs, outputs, variables)
        self._fixed = frozenset(fixed)
        self._runs = [tuple(self.order.kernels[r.start : r.stop]) for r in runs]
        self._offered: set[Kernel] | None = None
        self._withheld: set[Kernel] = set()
        self._replaced = {kernel: tuple(nodes) for kernel, nodes in replaced.items()}
        self._failures: list[tuple[tuple[Kernel, ...], Exception]] = []
        self._in_hand = InHand()

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.order.kernels)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs of the graph."""
        return self.order.inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs of the graph."""
        return self.order.outputs

    @property
    def variables(self) -> tuple[Tensor, ...]:
        """The tensors that hold something from the start."""
        return self.order.variables

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        """The planned runs: stretches of claimed kernels that have not been replaced yet, in execution order."""
        return tuple(run for run in self._runs if all(kernel in self.order for kernel in run))

    @property
    def replaced(self) -> dict[Kernel, tuple[Kernel, ...]]:
        """The kernels that each inserted graph kernel stands for, including graph kernels of other delegates."""
        return dict(self._replaced)

    @property
    def failures(self) -> dict[Kernel, Exception]:
        """The kernels that were to be replaced and stayed, and why."""
        return {kernel: failure for run, failure in self._failures for kernel in run}

    @property
    def failed_runs(self) -> tuple[tuple[tuple[Kernel, ...], Exception], ...]:
        """The stretches that were to be replaced and stayed, and why, in the order in which they failed."""
        return tuple(self._failures)

    @property
    def remaining(self) -> tuple[tuple[Kernel, ...], ...]:
        """Stretches that the delegate may still replace: of the planned runs; of all kernels where none are planned."""
        return self.stretches({k for run in self._runs for k in run} if self._runs else set(self.order.kernels))

    def stretches(self, kernels: Collection[Kernel]) -> tuple[tuple[Kernel, ...], ...]:
        """The stretches, each as long as possible, of the ``kernels`` that are in the graph and may be replaced."""
        found: list[list[Kernel]] = [[]]
        for kernel in self.order.kernels:
            if kernel in kernels and not self.obstacle(kernel):
                found[-1].append(kernel)
            elif found[-1]:
                found.append([])
        return tuple(tuple(run) for run in found if run)

    def boundary_of(self, run: Sequence[Kernel]) -> Boundary:
        """The tensors that cross between a stretch and the rest.

        Raises:
            DelegateBuildError: the kernels are not neighbors in this order, or not of this graph.
        """
        return self.order.boundary(*self.order.span(run))

    def obstacle(self, kernel: Kernel) -> str:
        """Why the delegate may not replace a kernel, "" where it may."""
        if kernel in self._fixed:
            return f"Kernel '{kernel.name}' ({kernel.type}) cannot be replaced: the runtime itself runs it."
        if kernel in self._replaced:
            return nested(kernel)
        if kernel not in self._withheld and (self._offered is None or kernel in self._offered):
            return ""
        return (
            f"Kernel '{kernel.name}' ({kernel.type}) cannot be replaced: it is not offered to this delegate "
            "(DelegateModel.primitive gives None for it)."
        )

    def begin(self) -> None:
        """Begins a delegate's build: earlier failures and the kernels in hand are forgotten."""
        self._failures.clear()
        self._in_hand = InHand()

    def looked_at(self, run: Sequence[Kernel], *, is_boundary: bool) -> None:
        """The delegate took a stretch of kernels in hand: by a slice, or by asking for its boundary."""
        if is_boundary:
            self._in_hand.asked(run)
        else:
            self._in_hand.sliced(run)

    def replace(self, start: int, stop: int, kernel: Kernel) -> None:
        """Puts a graph kernel in place of a stretch; a rejected stretch is noted as in the delegate's hand.

        Raises:
            DelegateBuildError: as ``KernelOrder.replace`` says.
        """
        try:
            self._replaced[kernel] = run = self.order.replace(start, stop, kernel, self.obstacle)
        except DelegateBuildError as e:
            self._in_hand.rejected(self.order.kernels[max(start, 0) : max(stop, 0)], e)
            raise
        self._in_hand.replaced(run)

    def adopt(self, run: Sequence[Kernel], kernel: Kernel) -> None:
        """Puts a graph kernel that was made for another plan in place of a run.

        Raises:
            DelegateBuildError: as ``KernelOrder.replace`` says.
        """
        self._replaced[kernel] = self.order.replace(*self.order.span(run), kernel, self.obstacle)

    def offer(self, runs: Sequence[Sequence[Kernel]]) -> None:
        """Plans other runs: from now on the delegate may replace kernels of these alone."""
        self._runs = [tuple(run) for run in runs]
        self._offered = {k for run in runs for k in run}

    def withhold(self, kernels: Iterable[Kernel]) -> None:
        """Keeps kernels from the delegate: ``primitive`` gives None for them, and they cannot be replaced."""
        self._withheld.update(kernels)

    def restore(self, kernel: Kernel, failure: Exception) -> None:
        """Takes an inserted graph kernel out again; the kernels it stood for come back, with ``failure`` as reason."""
        originals = self._replaced.pop(kernel)
        self.order.restore(kernel, originals)
        self.mark_failed(originals, failure)

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        """Notes that kernels stay on the CPU because making their graph kernel failed."""
        self._failures.append((tuple(run), failure))

    def in_hand(self, error: Exception) -> set[Kernel]:
        """The kernels that the delegate had in hand when its build raised; empty where nothing tells."""
        return self._in_hand.kernels(error)
