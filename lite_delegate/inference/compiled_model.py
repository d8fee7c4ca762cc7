"""CompiledModel: a graph that is planned for what the user asked for, and for one set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..delegate import Delegate, Kernel
from ..errors import InputError, LiteDelegateError
from ..ir import Graph, Value
from ..partition.placement import KernelTimes
from ..runtime.execution.fallback import Fallbacks
from ..runtime.execution.plan import ExecutionPlan
from ..runtime.execution.run import Instead
from ..runtime.planning.calibration import calibrate
from ..runtime.planning.scheduler import bind_model, schedule
from ..runtime.records.notices import Notices
from ..runtime.records.records import PartitionRecord
from ..runtime.settings import Settings
from ..tensor import UNKNOWN_RANK, Tensor
from .request import InferRequest


class CompiledModel:
    """A graph planned for settings and one set of input shapes; ``compile_graph`` makes it.

    Immutable, and shared by any number of requests in any number of threads. How its graph kernels do meanwhile (who
    failed, which device is lost, whose turn it is) is kept beside the plan.

    Args:
        graph: what was planned.
        settings: what for.
        plan: the plan.
    """

    def __init__(self, graph: Graph, settings: Settings, plan: ExecutionPlan) -> None:
        self._graph = graph
        self._settings = settings
        self._plan = plan
        self._fallbacks = Fallbacks(plan)

    @property
    def graph(self) -> Graph:
        """The graph that was planned. Not to be changed."""
        return self._graph

    @property
    def settings(self) -> Settings:
        """What the user asked for."""
        return self._settings

    @property
    def plan(self) -> ExecutionPlan:
        """What each prediction executes."""
        return self._plan

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in API order: names, dtypes and shapes; -1 where a dimension is open. Not to be changed."""
        return self._plan.inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in API order, like ``inputs``."""
        return self._plan.outputs

    @property
    def delegates(self) -> Mapping[str, Delegate]:
        """The delegates by name, in order of preference."""
        return {delegate.name: delegate for delegate in self._settings.delegates}

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._plan.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """Who runs what, and why, and which graph kernels failed in the predictions so far."""
        return self._fallbacks.record(self._plan.record)

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._fallbacks.has_lost_device

    def create_infer_request(self, instead: Instead | None = None) -> InferRequest:
        """A request: what is private to one prediction at a time.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            LiteDelegateError: the model was only planned.
        """
        if self._settings.plan_only:
            raise LiteDelegateError("The Model was only planned and cannot predict: set Context.plan_only to False.")
        return InferRequest(self._plan, self._fallbacks, self._settings.threads, instead)

    def reshaped(
        self,
        shapes: Sequence[tuple[int, ...]],
        settings: Settings | None = None,
        warnings: list[str] | None = None,
    ) -> CompiledModel:
        """The same graph for other shapes of its inputs. Graph kernels that can follow are shared, not made anew.

        Args:
            shapes: of the inputs, in order.
            settings: what the user asks for now; None: what it is.
            warnings: gets what the user is to be warned of.

        Raises:
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        settings = self._settings if settings is None else settings
        previous = None if self.has_lost_device else self._plan
        notices = Notices(warnings=[] if warnings is None else warnings)
        wanted = dict(zip(self._graph.inputs, shapes, strict=True))
        return CompiledModel(self._graph, settings, schedule(self._graph, wanted, settings, notices, previous))

    def calibrate(self, runs: int, settings: Settings | None = None, warnings: list[str] | None = None) -> KernelTimes:
        """What the kernels take, for these shapes; see ``Model.calibrate``.

        Args:
            runs: predictions that are measured, of which the median counts.
            settings: the delegate and the threads; None: those that it was compiled for.
            warnings: gets what the user is to be warned of.

        Raises:
            InputError, DelegateUnavailable: as ``Model.calibrate``.
        """
        if runs < 1:
            raise InputError(f"runs must be 1 or more, got {runs}.")
        settings = self._settings if settings is None else settings
        graphs, state = bind_model(self._graph, self._known_shapes(), settings, [])
        return calibrate(graphs, state, settings, runs, [] if warnings is None else warnings)

    def take_warnings(self) -> list[str]:
        """What the user has to be told of the predictions so far, each thing once."""
        return self._fallbacks.take_warnings()

    def _known_shapes(self) -> dict[Value, tuple[int, ...]]:
        pairs = zip(self._graph.inputs, self.inputs, strict=True)
        return {value: tuple(tensor.shape) for value, tensor in pairs if tensor.shape != [UNKNOWN_RANK]}


def compile_graph(graph: Graph, settings: Settings, warnings: list[str] | None = None) -> CompiledModel:
    """Plans a graph for the shapes that it declares.

    Args:
        graph: a verified graph, which must not be changed afterwards.
        settings: what the user asks for.
        warnings: gets what the user is to be warned of, also where this fails.

    Raises:
        LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
    """
    notices = Notices(warnings=[] if warnings is None else warnings)
    return CompiledModel(graph, settings, schedule(graph, {}, settings, notices))
