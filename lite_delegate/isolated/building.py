"""Building: the model as a delegate's process sees it, and the calls that the delegate makes of it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..basics.data_class import dataclass
from ..delegate import DelegateModel, Kernel
from ..delegate.samples import current_samples, sampling
from ..delegate.wishes import current_wishes, wishing
from ..tensors.tensor import Tensor
from .directory import Directory
from .keeper import Keeper
from .kernel import IsolatedKernel, kernel_of
from .passing.messages import BuildEvent, Fault, GraphNote, Snapshot
from .process import IsolatedProcess
from .raising import error_of


@dataclass(frozen=True, slots=True, eq=False)
class ModelState:
    """A model at the time when a graph kernel was made for it, to make it again.

    Attributes:
        order: its kernels in execution order.
        inputs, outputs, variables: its tensors.
        runs: the planned runs that were not replaced.
        kept: the kernels that may not be replaced.
    """

    order: tuple[Kernel, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    variables: tuple[Tensor, ...]
    runs: tuple[tuple[Kernel, ...], ...]
    kept: frozenset[Kernel]

    def snapshot(self, process: IsolatedProcess) -> Snapshot:
        """The model in numbers of a process."""
        directory = process.directory

        def number(kernel: Kernel) -> int:
            is_there = isinstance(kernel, IsolatedKernel) and kernel.process is process
            return kernel.number if is_there and isinstance(kernel, IsolatedKernel) else directory.kernel(kernel)

        return Snapshot(
            tuple(map(number, self.order)),
            directory.loose(self.inputs),
            directory.loose(self.outputs),
            directory.loose(self.variables),
            tuple(tuple(map(number, run)) for run in self.runs),
            frozenset(map(number, self.kept)),
        )


def snapshot_of(model: DelegateModel) -> ModelState:
    """The state of a model now."""
    order = tuple(model[:])
    kept = frozenset(kernel for kernel in order if model.primitive(kernel) is None)
    return ModelState(order, model.inputs, model.outputs, model.variables, model.runs, kept)


def replay(
    keeper: Keeper, state: ModelState, run: Sequence[Kernel], method: str
) -> Callable[[IsolatedProcess], GraphNote]:
    """Makes the graph kernel of a run in a process, also later, with the user's wishes and samples of now.

    Args:
        keeper: the keeper of the delegate's process.
        state: the model.
        run: the kernels.
        method: "create", or "build_again" for a delegate that has a ``build`` of its own.
    """

    wishes, samples = current_wishes(), current_samples()

    def recipe(process: IsolatedProcess) -> GraphNote:
        def described(directory: Directory) -> tuple[object, ...]:
            return state.snapshot(process), tuple(map(directory.kernel, run))

        seconds = keeper.isolation.build_seconds
        named = "create_graph_kernel" if method == "create" else "build"
        with wishing(wishes), sampling(samples):
            note: GraphNote = process.call(method, seconds=seconds, named=named, describe=described)
        return note

    return recipe


class Built:
    """A ``build`` under way: the parent's model follows the calls of the delegate.

    Args:
        keeper: the keeper of the delegate's process.
        model: the model.
        process: builds.
    """

    def __init__(self, keeper: Keeper, model: DelegateModel, process: IsolatedProcess) -> None:
        self._keeper, self._model, self._process = keeper, model, process
        self._state = snapshot_of(model)

    def snapshot(self) -> Snapshot:
        """The model before the ``build``, in numbers of the process."""
        return self._state.snapshot(self._process)

    def hear(self, event: BuildEvent) -> None:
        """Does what the delegate did."""
        model, arguments = self._model, event.arguments
        match event.method, arguments:
            case "looked_at", (int(start), int(stop), bool(is_boundary)):
                model.boundary(start, stop) if is_boundary else model[start:stop]
            case "replace", (int(start), int(stop), GraphNote() as note):
                run = model[start:stop]
                recipe = replay(self._keeper, self._state, run, "build_again")
                model.replace(start, stop, kernel_of(self._keeper, note, self._process, recipe, run))
            case "mark_failed", (int(start), int(stop), Fault() as fault):
                model.mark_failed(model[start:stop], error_of(fault))
            case "rejected", (int(start), int(stop)):
                model[start:stop]  # the stretch that is to blame where the delegate lets the error out
