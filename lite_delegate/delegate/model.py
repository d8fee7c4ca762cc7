"""DelegateModel: the ordered kernels that a delegate may claim and replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, overload

from ..basics.counted import counted
from ..basics.words.one_line import OneLine
from ..errors import DelegateBuildError
from ..ir.primitive import Primitive
from ..ir.types.data_type import DataType
from ..tensors.tensor import Tensor
from .boundary import Boundary
from .kernel import Kernel
from .open_shapes import open_origin
from .order import KernelOrder
from .samples import Samples, current_samples
from .wishes import current_wishes

_ALL = slice(None)


class Books(Protocol):
    """The side behind a ``DelegateModel``: the runtime, which plans and records the delegate's replacements."""

    @property
    def order(self) -> KernelOrder:
        """The kernels as they stand now."""

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        """The planned runs that have not been replaced yet."""

    def obstacle(self, kernel: Kernel) -> str:
        """Why the delegate may not replace a kernel, "" where it may."""

    def looked_at(self, run: Sequence[Kernel], *, is_boundary: bool) -> None:
        """The delegate took a stretch of kernels in hand: by a slice, or by asking for its boundary."""

    def replace(self, start: int, stop: int, kernel: Kernel) -> None:
        """Puts a graph kernel in place of a stretch.

        Raises:
            DelegateBuildError: as ``KernelOrder.replace`` says.
        """

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        """The graph kernel for a stretch could not be made."""


class DelegateModel(OneLine, Sequence[Kernel]):
    """The kernels of a model in execution order, as a delegate sees them while it builds.

    A model that is made by itself, for a test of a delegate, equals a model of the runtime, with one difference: no
    runtime takes over the stretches that failed, so ``mark_failed`` raises the failure.

    Args:
        kernels: the kernels in execution order.
        inputs: the inputs of the whole model, or of a subgraph: each subgraph of a model is built by itself.
        outputs: the outputs of the model or subgraph.
        runs: the stretches, as half-open ranges in ``kernels``, that the partitioner planned from the claims.
        variables: tensors that have contents from the start and that kernels of the runtime change.
    """

    def __init__(
        self,
        kernels: Iterable[Kernel],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        runs: Sequence[range] = (),
        variables: Sequence[Tensor] = (),
    ) -> None:
        self._books: Books = _Alone(KernelOrder(kernels, inputs, outputs, variables), runs)
        self._has_ended = False

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs of the whole model."""
        return self._books.order.inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs of the whole model."""
        return self._books.order.outputs

    @property
    def variables(self) -> tuple[Tensor, ...]:
        """Tensors that hold something from the start and that kernels of the runtime change."""
        return self._books.order.variables

    @property
    def threads(self) -> int:
        """Threads of the host that one prediction may take, ``Context.cpu.thread_num``; 0: the user does not say.

        For a delegate that computes on the host, or drives its device with threads of its own. The number is known
        while the model is planned.
        """
        return current_wishes().threads

    @property
    def precisions(self) -> Mapping[str, DataType]:
        """The coarsest type that real numbers may be computed in, by kind of device: "cpu", "gpu" or "npu".

        FLOAT32 or FLOAT16, by ``precision_mode`` of ``Context.cpu``, ``Context.gpu`` and ``Context.npu``. A kind is
        missing where the user does not say. For a delegate whose device has faster kernels for a coarser type. Tensors
        keep their own type. The types are known while the model is planned.
        """
        return current_wishes().precisions

    @property
    def rewrites(self) -> bool:
        """True unless the user wants operators handed over as they are, ``Context.rewrite``.

        For a delegate that puts several kernels in a form that its device runs faster.
        """
        return current_wishes().rewrites

    @property
    def samples(self) -> Samples | None:
        """The values of the model's tensors for representative inputs, as ``current_samples`` gives them.

        None where the user gives none; for a delegate that sets ``wanted_samples``.
        """
        return current_samples()

    @property
    def origin(self) -> object | None:
        """An object that all plans of one model with open input dimensions share; None for other models.

        For a delegate whose compiled models take several shapes: plans for other shapes may follow this plan. The
        kernels that it is asked about always have the shapes of one plan.
        """
        return open_origin()

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        """The planned runs: stretches of claimed kernels that have not been replaced yet, in execution order."""
        return self._books.runs

    @overload
    def __getitem__(self, index: int) -> Kernel: ...
    @overload
    def __getitem__(self, index: slice) -> list[Kernel]: ...
    def __getitem__(self, index: int | slice) -> Kernel | list[Kernel]:
        kernels = self._books.order.kernels
        if not isinstance(index, slice):
            return kernels[index]
        run = list(kernels[index])
        if index != _ALL:
            self._books.looked_at(run, is_boundary=False)
        return run

    def __len__(self) -> int:
        return len(self._books.order.kernels)

    def primitive(self, kernel: Kernel) -> Primitive | None:
        """Operator type and attributes of a kernel; None for a graph kernel and a kernel that is not offered."""
        return None if self._books.obstacle(kernel) else kernel.primitive

    def span(self, run: Sequence[Kernel]) -> tuple[int, int]:
        """The half-open positions of a stretch of kernels.

        Raises:
            DelegateBuildError: the kernels are not neighbors in this order, or not of this model.
        """
        return self._books.order.span(run)

    def boundary_of(self, run: Sequence[Kernel]) -> Boundary:
        """``boundary`` of a stretch that is given by its kernels."""
        return self.boundary(*self.span(run))

    def boundary(self, start: int, stop: int) -> Boundary:
        """The tensors that a graph kernel in place of ``[start, stop)`` must take and give.

        Raises:
            DelegateBuildError: the range is empty or not inside the model.
        """
        boundary = self._books.order.boundary(start, stop)
        self._books.looked_at(self._books.order.kernels[start:stop], is_boundary=True)
        return boundary

    def replace(self, start: int, stop: int, kernel: Kernel) -> int:
        """Puts a graph kernel in place of the kernels in ``[start, stop)``.

        The kernel must read only tensors that are made before ``start``, and give every tensor that other kernels need;
        both are checked. Its name need not be unique: the runtime tells graph kernels apart, see ``Kernel.name``.

        Returns:
            The index after the new kernel.

        Raises:
            DelegateBuildError: the request breaks a rule, which the message states, or ``build`` has returned; nothing
                was replaced.
        """
        self._check_building(f"replace({start}, {stop}, ...)")
        self._books.replace(start, stop, kernel)
        return start + 1

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        """Notes that the graph kernel for a stretch could not be made, for a ``build`` that goes on with others.

        Raises:
            DelegateBuildError: ``build`` has returned.
        """
        self._check_building("mark_failed")
        self._books.mark_failed(run, failure)

    def _check_building(self, call: str) -> None:
        if self._has_ended:
            raise DelegateBuildError(
                f"DelegateModel.{call} was called after build had ended: the plan is decided by then. Call it "
                "while build runs."
            )

    def _line(self) -> str:
        return counted(len(self), "kernel")


@contextmanager
def building(model: DelegateModel) -> Iterator[None]:
    """Within the block, a call of ``build``, kernels may be replaced; afterwards the model can be read and no more."""
    model._has_ended = False
    try:
        yield
    finally:
        model._has_ended = True


def view_of(books: Books) -> DelegateModel:
    """The model that a delegate sees of books that somebody else keeps."""
    model = DelegateModel.__new__(DelegateModel)
    model._books, model._has_ended = books, False
    return model


class _Alone:
    """The books of a model that was made by itself: every kernel that it began with may be replaced."""

    def __init__(self, order: KernelOrder, runs: Sequence[range]) -> None:
        self.order = order
        self._nodes = frozenset(order.kernels)
        self._runs = [tuple(order.kernels[run.start : run.stop]) for run in runs]

    @property
    def runs(self) -> tuple[tuple[Kernel, ...], ...]:
        return tuple(run for run in self._runs if all(kernel in self.order for kernel in run))

    def obstacle(self, kernel: Kernel) -> str:
        return "" if kernel in self._nodes else nested(kernel)

    def looked_at(self, run: Sequence[Kernel], *, is_boundary: bool) -> None:
        return None

    def replace(self, start: int, stop: int, kernel: Kernel) -> None:
        self.order.replace(start, stop, kernel, self.obstacle)

    def mark_failed(self, run: Sequence[Kernel], failure: Exception) -> None:
        raise failure


def nested(kernel: Kernel) -> str:
    """Why a graph kernel cannot be replaced."""
    return f"Graph kernel '{kernel.name}' cannot be part of another graph kernel."
