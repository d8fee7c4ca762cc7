"""KernelOrder: the kernels of a model in execution order, and the maker and the readers of each tensor."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from ..basics.counted import counted
from ..errors import DelegateBuildError
from ..tensors.tensor import Tensor
from .boundary import Boundary
from .kernel import Kernel


class KernelOrder:
    """The kernels of a model in execution order. Only stretches that graph kernels can stand for are exchanged.

    Args:
        kernels: in execution order.
        inputs: the inputs of the model.
        outputs: the outputs of the model.
        variables: tensors that hold something from the start.
    """

    def __init__(
        self,
        kernels: Iterable[Kernel],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        variables: Sequence[Tensor] = (),
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.variables = tuple(variables)
        self._kernels = list(kernels)
        # Ranks grow along the order: a graph kernel has the rank of the first kernel it stands for.
        self._ranks = {kernel: rank for rank, kernel in enumerate(self._kernels)}
        self._producers: dict[Tensor, Kernel] = {}
        self._readers: dict[Tensor, dict[Kernel, None]] = {}
        self._given = frozenset(outputs)
        self._sources = frozenset((*inputs, *variables))
        self._enter(self._kernels)

    @property
    def kernels(self) -> Sequence[Kernel]:
        """The kernels as they stand now."""
        return self._kernels

    def __contains__(self, kernel: object) -> bool:
        if not isinstance(kernel, Kernel) or kernel not in self._ranks:
            return False
        position = self.position(kernel)
        return position < len(self._kernels) and self._kernels[position] is kernel

    def position(self, kernel: Kernel) -> int:
        """The position of a kernel that is there; of one that was, where it would be."""
        return bisect_left(self._kernels, self._ranks[kernel], key=self._ranks.__getitem__)

    def span(self, run: Sequence[Kernel]) -> tuple[int, int]:
        """The half-open positions of a stretch of kernels.

        Raises:
            DelegateBuildError: the kernels are not neighbors in this order, or not of this model.
        """
        start = self.position(run[0]) if run and run[0] in self else -1
        if start < 0 or self._kernels[start : start + len(run)] != list(run):
            names = ", ".join(repr(k.name) for k in run)
            raise DelegateBuildError(f"Kernels {names or '(none)'} are not a stretch of this model's order.")
        return start, start + len(run)

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
            outputs=tuple(t for t in made if t in self._given or not members.issuperset(self._readers.get(t, ()))),
            constants=tuple(t for t in read if t.is_const),
        )

    def replace(self, start: int, stop: int, kernel: Kernel, obstacle: Callable[[Kernel], str]) -> tuple[Kernel, ...]:
        """Puts a graph kernel in place of the kernels in ``[start, stop)``. Returns the replaced kernels.

        A stretch of a topological order is convex, so no cycle can arise as long as the kernel reads only tensors that
        are made before ``start``. The order checks this, and that the kernel gives every tensor other kernels need.

        Args:
            start, stop: the stretch.
            kernel: the graph kernel that stands for the stretch from now on.
            obstacle: why a kernel must not be replaced, "" where it may.

        Raises:
            DelegateBuildError: the request breaks a rule, which the message states; nothing was replaced.
        """
        boundary = self.boundary(start, stop)
        inside = tuple(self._kernels[start:stop])
        self._check_kernel(kernel)
        for each in inside:
            if reason := obstacle(each):
                raise DelegateBuildError(reason)
        _check_outputs(kernel, boundary, inside)
        self._check_inputs(kernel, start)
        self._exchange(start, stop, [kernel])
        self._ranks[kernel] = self._ranks[inside[0]]
        return inside

    def restore(self, kernel: Kernel, originals: Sequence[Kernel]) -> None:
        """Takes a graph kernel out again; the kernels that it stood for come back."""
        position = self.position(kernel)
        self._exchange(position, position + 1, originals)

    def _exchange(self, start: int, stop: int, kernels: Sequence[Kernel]) -> None:
        """Exchanges kernels, and records the maker and the readers of each tensor."""
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
                f"Range [{start}, {stop}) is not a non-empty range inside the model's "
                f"{counted(len(self._kernels), 'kernel')}."
            )

    def _check_kernel(self, kernel: Kernel) -> None:
        if not isinstance(kernel, Kernel):
            raise DelegateBuildError(f"A run must be replaced by a Kernel, got {type(kernel).__name__}.")
        if kernel in self:
            raise DelegateBuildError(f"Kernel '{kernel.name}' is in the model already.")

    def _check_inputs(self, kernel: Kernel, start: int) -> None:
        first = self._ranks[self._kernels[start]]
        for tensor in kernel.inputs:
            maker = self._producers.get(tensor)
            is_there = tensor in self._sources if maker is None else self._ranks[maker] < first
            if not is_there and not tensor.is_const:
                raise DelegateBuildError(
                    f"Graph kernel '{kernel.name}': input '{tensor.name}' is not there before the kernels it replaces."
                )


def _check_outputs(kernel: Kernel, boundary: Boundary, inside: Sequence[Kernel]) -> None:
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
