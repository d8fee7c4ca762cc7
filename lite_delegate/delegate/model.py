"""DelegateModel: the ordered kernels that a delegate may claim and replace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import overload

from ..errors import DelegateBuildError
from ..ir.primitive import Primitive
from ..tensor import Tensor
from .boundary import Boundary
from .kernel import Kernel


class DelegateModel(Sequence[Kernel]):
    """The kernels of a model in execution order, as a delegate sees them while it builds.

    Args:
        kernels: in execution order.
        inputs: the inputs of the whole model; of a subgraph, where a model has some: each is built by itself.
        outputs: the outputs of the same.
        runs: the stretches, as half-open ranges in ``kernels``, that the partitioner planned from the claims.
        fixed: kernels that stay where they are: control flow, tensor lists and assignments belong to the runtime.
        variables: tensors that hold something from the start and that ``fixed`` kernels change.
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
        self._kernels = list(kernels)
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.variables = tuple(variables)
        self._fixed = frozenset(fixed)
        self._runs = [tuple(self._kernels[r.start : r.stop]) for r in runs]
        self._offered: set[Kernel] | None = None
        self._withheld: set[Kernel] = set()
        self._replaced = {kernel: tuple(nodes) for kernel, nodes in replaced.items()}
        self._failures: list[tuple[tuple[Kernel, ...], Exception]] = []
        # Ranks grow along the order, whatever is replaced: a graph kernel has that of the first kernel it stands for.
        self._ranks = {kernel: rank for rank, kernel in enumerate(self._kernels)}
        self._producers: dict[Tensor, Kernel] = {}
        self._readers: dict[Tensor, dict[Kernel, None]] = {}
        self._outputs = frozenset(outputs)
        self._sources = frozenset((*inputs, *variables))
        self._graph_names: set[str] = set()
        self._enter(self._kernels)

    @overload
    def __getitem__(self, index: int) -> Kernel: ...
    @overload
    def __getitem__(self, index: slice) -> list[Kernel]: ...
    def __getitem__(self, index: int | slice) -> Kernel | list[Kernel]:
        return self._kernels[index]

    def __len__(self) -> int:
        return len(self._kernels)

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        """The planned runs: stretches of claimed kernels that have not been replaced yet, in execution order."""
        return tuple(run for run in self._runs if all(self._is_present(kernel) for kernel in run))

    @property
    def replaced(self) -> dict[Kernel, tuple[Kernel, ...]]:
        """The kernels that each inserted graph kernel stands for; those of other delegates among them."""
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
        """What the delegate may still replace: of the planned runs; of all kernels where none are planned."""
        return self.stretches({k for run in self._runs for k in run} if self._runs else set(self._kernels))

    def primitive(self, kernel: Kernel) -> Primitive | None:
        """Operator type and attributes of a kernel; None for a graph kernel and for what the delegate may not take."""
        return kernel.primitive if self._is_free(kernel) else None

    def span(self, run: Sequence[Kernel]) -> tuple[int, int]:
        """The half-open positions of a stretch of kernels.

        Raises:
            DelegateBuildError: the kernels are not neighbors in this order, or not of this model.
        """
        start = self._position(run[0]) if run and self._is_present(run[0]) else -1
        if start < 0 or self._kernels[start : start + len(run)] != list(run):
            names = ", ".join(repr(k.name) for k in run)
            raise DelegateBuildError(f"Kernels {names or '(none)'} are not a stretch of this model's order.")
        return start, start + len(run)

    def boundary_of(self, run: Sequence[Kernel]) -> Boundary:
        """``boundary`` of a stretch that is given by its kernels."""
        return self.boundary(*self.span(run))

    def boundary(self, start: int, stop: int) -> Boundary:
        """The tensors that a graph kernel in place of ``[start, stop)`` must take and give.

        Raises:
            DelegateBuildError: the range is empty or not inside the model.
        """
        self._check_range(start, stop)
        inside = self._kernels[start:stop]
        made = dict.fromkeys(t for k in inside for t in k.outputs)
        read = dict.fromkeys(t for k in inside for t in k.inputs if t not in made)
        members = frozenset(inside)
        return Boundary(
            inputs=tuple(t for t in read if not t.is_const),
            outputs=tuple(t for t in made if t in self._outputs or not members.issuperset(self._readers.get(t, ()))),
            constants=tuple(t for t in read if t.is_const),
        )

    def replace(self, start: int, stop: int, kernel: Kernel) -> int:
        """Puts a graph kernel in place of the kernels in ``[start, stop)``.

        A stretch of a topological order is convex, so no cycle can arise as long as the kernel reads only what
        is there before ``start``; that is checked, and that it gives every tensor the rest needs.

        Returns:
            The index after the new kernel.

        Raises:
            DelegateBuildError: nothing was replaced; the message says which rule the request breaks.
        """
        self._check(start, stop, kernel)
        if kernel.name in self._graph_names:
            raise DelegateBuildError(f"A graph kernel named '{kernel.name}' is in the model already; names are unique.")
        self._insert(start, stop, kernel)
        self._graph_names.add(kernel.name)
        return start + 1

    def adopt(self, run: Sequence[Kernel], kernel: Kernel) -> None:
        """Puts a graph kernel that was made for another plan in place of a run.

        Another one may have its name: the runtime gives graph kernels names that differ once all are there.

        Raises:
            DelegateBuildError: like ``replace``.
        """
        start, stop = self.span(run)
        self._check(start, stop, kernel)
        self._insert(start, stop, kernel)

    def offer(self, runs: Sequence[Sequence[Kernel]]) -> None:
        """Plans other runs: from now on the delegate may replace kernels of these alone.

        Names that it gave to graph kernels before may come again, since it may begin to count anew.
        """
        self._graph_names.clear()
        self._runs = [tuple(run) for run in runs]
        self._offered = {k for run in runs for k in run}

    def withhold(self, kernels: Iterable[Kernel]) -> None:
        """Keeps kernels from the delegate: ``primitive`` gives None for them, and they cannot be replaced."""
        self._withheld.update(kernels)

    def stretches(self, kernels: Collection[Kernel]) -> tuple[tuple[Kernel, ...], ...]:
        """Those of ``kernels`` that are there and may be replaced, in stretches as long as can be."""
        found: list[list[Kernel]] = [[]]
        for kernel in self._kernels:
            if kernel in kernels and self._is_free(kernel):
                found[-1].append(kernel)
            elif found[-1]:
                found.append([])
        return tuple(tuple(run) for run in found if run)

    def restore(self, kernel: Kernel, failure: Exception) -> None:
        """Takes an inserted graph kernel out again; the kernels it stood for come back, with ``failure`` as reason."""
        originals = self._replaced.pop(kernel)
        position = self._position(kernel)
        self._exchange(position, position + 1, originals)
        self._graph_names.discard(kernel.name)
        self.mark_failed(originals, failure)

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        """Notes that kernels stay on the CPU because making their graph kernel failed."""
        self._failures.append((tuple(run), failure))

    def forget_failures(self) -> None:
        """Starts anew with no failures."""
        self._failures.clear()

    def _insert(self, start: int, stop: int, kernel: Kernel) -> None:
        inside = self._kernels[start:stop]
        self._exchange(start, stop, [kernel])
        self._ranks[kernel] = self._ranks[inside[0]]
        self._replaced[kernel] = tuple(inside)

    def _is_free(self, kernel: Kernel) -> bool:
        """Whether the delegate may replace a kernel."""
        if kernel in self._replaced or kernel in self._fixed or kernel in self._withheld:
            return False
        return self._offered is None or kernel in self._offered

    def _check(self, start: int, stop: int, kernel: Kernel) -> None:
        """Raises DelegateBuildError unless the kernel can stand for ``[start, stop)``."""
        boundary = self.boundary(start, stop)
        inside = self._kernels[start:stop]
        self._check_kernel(kernel, inside)
        self._check_outputs(kernel, boundary, inside)
        self._check_inputs(kernel, start)

    def _position(self, kernel: Kernel) -> int:
        """The position of a kernel that is present; of another one, where it would be."""
        return bisect_left(self._kernels, self._ranks[kernel], key=self._ranks.__getitem__)

    def _is_present(self, kernel: Kernel) -> bool:
        if kernel not in self._ranks:
            return False
        position = self._position(kernel)
        return position < len(self._kernels) and self._kernels[position] is kernel

    def _exchange(self, start: int, stop: int, kernels: Sequence[Kernel]) -> None:
        """Puts kernels in place of others, and keeps the books of who makes and reads each tensor."""
        for kernel in self._kernels[start:stop]:
            for tensor in kernel.outputs:
                self._producers.pop(tensor, None)
            for tensor in kernel.inputs:
                self._readers[tensor].pop(kernel, None)
        self._kernels[start:stop] = kernels
        self._enter(kernels)

    def _enter(self, kernels: Iterable[Kernel]) -> None:
        for kernel in kernels:
            self._producers.update(dict.fromkeys(kernel.outputs, kernel))
            for tensor in kernel.inputs:
                self._readers.setdefault(tensor, {})[kernel] = None

    def _check_range(self, start: int, stop: int) -> None:
        if not 0 <= start < stop <= len(self._kernels):
            raise DelegateBuildError(
                f"Range [{start}, {stop}) is not a non-empty range inside the model's {len(self._kernels)} kernels."
            )

    def _check_kernel(self, kernel: Kernel, inside: list[Kernel]) -> None:
        if not isinstance(kernel, Kernel):
            raise DelegateBuildError(f"A run must be replaced by a Kernel, got {type(kernel).__name__}.")
        if self._is_present(kernel):
            raise DelegateBuildError(f"Kernel '{kernel.name}' is in the model already.")
        for k in inside:
            if k in self._fixed:
                raise DelegateBuildError(
                    f"Kernel '{k.name}' ({k.type}) cannot be replaced: the runtime itself runs it."
                )
            if k in self._replaced:
                raise DelegateBuildError(f"Graph kernel '{k.name}' cannot be part of another graph kernel.")
            if not self._is_free(k):
                raise DelegateBuildError(
                    f"Kernel '{k.name}' ({k.type}) cannot be replaced: it is not offered to this delegate "
                    "(DelegateModel.primitive gives None for it)."
                )

    def _check_outputs(self, kernel: Kernel, boundary: Boundary, inside: list[Kernel]) -> None:
        made = {t for k in inside for t in k.outputs}
        for tensor in kernel.outputs:
            if tensor not in made:
                raise DelegateBuildError(
                    f"Graph kernel '{kernel.name}': output '{tensor.name}' is not made by the kernels it replaces."
                )
        missing = [f"'{t.name}'" for t in boundary.outputs if t not in kernel.outputs]
        if missing:
            raise DelegateBuildError(
                f"Graph kernel '{kernel.name}': its outputs must include {', '.join(missing)}, which is needed outside."
            )

    def _check_inputs(self, kernel: Kernel, start: int) -> None:
        first = self._ranks[self._kernels[start]]
        for tensor in kernel.inputs:
            maker = self._producers.get(tensor)
            is_there = tensor in self._sources if maker is None else self._ranks[maker] < first
            if not is_there and not tensor.is_const:
                raise DelegateBuildError(
                    f"Graph kernel '{kernel.name}': input '{tensor.name}' is not there before the kernels it replaces."
                )
