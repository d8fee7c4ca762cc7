"""CompiledModel: a graph that is planned for what the user asked for, and for one set of input shapes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..cache.outcome import DISABLED, CacheOutcome, CacheStatus
from ..delegate import Delegate, Kernel
from ..errors import InputError, LiteDelegateError, PropertyError, ShapeError
from ..formats.input_shapes import ALL_KNOWN, ClosedShapes, close_shapes, given_shapes
from ..ir import Graph, Value
from ..partition.placement import KernelTimes
from ..properties import Explanation
from ..runtime.execution.fallback import Fallbacks
from ..runtime.execution.plan import ExecutionPlan
from ..runtime.execution.run import Instead
from ..runtime.lifetimes.session import open_session
from ..runtime.records.notices import Notices
from ..runtime.records.records import CPU, PartitionRecord
from ..runtime.settings import Settings
from ..tensor import Tensor
from .calls import Calls
from .executor import Executor
from .given import Inputs
from .infer_request import InferRequest
from .model_properties import ModelProperties, device_properties
from .port import Port, find_port, ports_of
from .results import Key, Results
from .runner import Runner
from .runtime_properties import ON_ERROR
from .snapshot import StateInfo, states_of

if TYPE_CHECKING:
    from ..runtime.planning.scheduled import Scheduled
    from .model_file.parts import ModelParts
    from .request_pool import RequestPool

NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})

RunnerMaker = Callable[..., Runner]
"""Makes a runner; takes what is to run instead of graph kernels, None by default."""


class CompiledModel:
    """A graph planned for settings and one set of input shapes; ``compile_graph`` makes it.

    Immutable, and shared by any number of requests in any number of threads. How its graph kernels do meanwhile (who
    failed, which device is lost, whose turn it is) is kept beside the plan.

    It holds its graph kernels, and the delegates with all that was reshaped from it, until it is closed or nobody has
    it, or a request of it, any more.

    Args:
        graph: what was planned.
        scheduled: the plan, and what it stands on.
        closed_shapes: what inputs were taken to have where the graph leaves dimensions open.
        shape_error: why the graph is planned with open dimensions: it does not take those shapes.
    """

    def __init__(
        self,
        graph: Graph,
        scheduled: Scheduled,
        closed_shapes: ClosedShapes = ALL_KNOWN,
        shape_error: ShapeError | None = None,
    ) -> None:
        self._graph = graph
        self._closed_shapes = closed_shapes
        self._shape_error = shape_error
        self._scheduled = scheduled
        self._settings = scheduled.settings
        self._plan = scheduled.plan
        self._fallbacks = Fallbacks(scheduled.plan)
        self._cache_outcome = DISABLED
        self._optimal_requests = self._optimal_count()
        self._properties = ModelProperties(device_properties(self._settings, self._makers()))
        self._inputs = ports_of(scheduled.plan.inputs, is_input=True)
        self._outputs = ports_of(scheduled.plan.outputs, is_input=False)
        streams = self._properties.number("NUM_STREAMS") or self._optimal_requests
        self._executor = Executor(streams, self._settings.threads, self._settings.stream_threads)
        self._make_runner = self._runner_maker()
        self._calls = Calls(self._make_runner, self._optimal_requests, self._inputs, self._outputs)

    @property
    def graph(self) -> Graph:
        """The graph that was planned. Not to be changed."""
        return self._graph

    @property
    def closed_shapes(self) -> ClosedShapes:
        """The shapes that inputs were taken to have because the graph leaves dimensions open and nobody gave others."""
        return self._closed_shapes

    @property
    def shape_error(self) -> ShapeError | None:
        """The error of the graph for ``closed_shapes``: it was planned with open dimensions then. None without one."""
        return self._shape_error

    @property
    def settings(self) -> Settings:
        """The user's wishes, as they were."""
        return self._settings

    @property
    def plan(self) -> ExecutionPlan:
        """The plan that each prediction executes."""
        return self._plan

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs in API order."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs in API order."""
        return self._outputs

    def input(self, key: Key = 0) -> Port:
        """An input by index or name.

        Raises:
            InputError: there is no such input; the message names those that there are.
        """
        return find_port(key, self._inputs, "input")

    def output(self, key: Key = 0) -> Port:
        """An output by index or name.

        Raises:
            InputError: there is no such output; the message names those that there are.
        """
        return find_port(key, self._outputs, "output")

    def declared_outputs(self) -> tuple[Tensor, ...]:
        """The outputs for all shapes of inputs that the graph takes: -1 where a dimension depends on them."""
        from ..runtime.planning.inferring import InferredModel

        try:
            return InferredModel(self._graph, {}, self._settings).bind()[0].outputs
        except ShapeError:  # for these shapes it could be inferred, for all of them it cannot
            return self._plan.outputs

    @property
    def delegates(self) -> Mapping[str, Delegate]:
        """The delegates by name, in order of preference."""
        return {delegate.name: delegate for delegate in self._settings.delegates}

    @property
    def versions(self) -> Mapping[str, str]:
        """``Delegate.version`` of each delegate by name, as it was when this was planned."""
        return self._scheduled.versions

    @property
    def states(self) -> tuple[StateInfo, ...]:
        """What its requests keep from one run to the next: the variables of the graph, in the order of the file."""
        return states_of(self._plan)

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._plan.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """Who runs what, and why, and which graph kernels failed in the predictions so far."""
        record = self._fallbacks.record(self._plan.record)
        if not self._closed_shapes.shapes:
            return record
        return replace(record, notes=(_text(self._closed_shapes, self._shape_error), *record.notes))

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._fallbacks.has_lost_device

    def create_infer_request(self, instead: Instead | None = None) -> InferRequest:
        """A request: what is private to one run at a time, with tensors that last.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            ModelClosed: it has been closed.
            DelegateBuildError: a device has no memory left for it.
            LiteDelegateError: the model was only planned.
        """
        return _request(self._make_runner, self._executor, (self._inputs, self._outputs), instead)

    def __call__(self, inputs: Inputs = None, *, share_outputs: bool = False) -> Results:
        """Runs the model once; from any number of threads, of which ``optimal_requests`` run at once, others wait.

        Variables of the model begin with their initial values.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            share_outputs: accepted, as requests do; nothing else ever writes to the results.

        Returns:
            The outputs: new arrays, which are the caller's.

        Raises:
            TypeError, InputError, ModelClosed, KernelError, DelegateExecuteError: as ``InferRequest.infer``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return self._calls.infer(inputs)

    async def infer_async(self, inputs: Inputs = None) -> Results:
        """Runs the model once while the event loop goes on; from any loops, of which ``optimal_requests`` run at once.

        Variables of the model begin with their initial values. A task that is cancelled cancels the run, and goes on
        when that has ended.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.

        Returns:
            The outputs: new arrays, which are the caller's.

        Raises:
            Exception: as ``InferRequest.infer_async``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return await self._pool.infer(inputs)

    @cached_property
    def _pool(self) -> RequestPool:
        from .request_pool import RequestPool  # asyncio is loaded where it is needed

        ports = self._inputs, self._outputs
        make = partial(_request, self._make_runner, self._executor, ports)
        return RequestPool(make, self._optimal_requests)

    @property
    def optimal_requests(self) -> int:
        """How many requests keep the devices busy: as delegates say that run something, else one for each core."""
        return self._optimal_requests

    def release_memory(self) -> int:
        """Gives up what calls of the model keep for the next one. Requests, also busy ones, keep what they have.

        Returns:
            The bytes that devices have free now and had not before.
        """
        return self._calls.release()

    def create_runner(self, instead: Instead | None = None) -> Runner:
        """A runner: what is private to one run at a time, without anything that lasts between runs.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            ModelClosed: it has been closed.
            LiteDelegateError: the model was only planned.
        """
        return self._make_runner(instead)

    def _optimal_count(self) -> int:
        """What ``optimal_requests`` is."""
        used = {subgraph.delegate for subgraph in self._plan.record.subgraphs}
        said = [each.optimal_requests() for each in self._settings.delegates if each.name in used]
        return max(said, default=os.cpu_count() or 1)

    def _makers(self) -> Mapping[Kernel, str]:
        """The name of the delegate that made each graph kernel that its runs may use."""
        return self._scheduled.delegation.owners

    def _runner_maker(self) -> RunnerMaker:
        """What makes runners. It must not keep the model: what a model keeps would keep the model itself."""
        return partial(_runner, self._scheduled, self._fallbacks)

    def reshaped(
        self,
        shapes: Sequence[tuple[int, ...]],
        settings: Settings | None = None,
        warnings: list[str] | None = None,
    ) -> CompiledModel:
        """The same graph for other shapes of its inputs. Graph kernels that can follow are not made anew.

        Those that follow by a fork are shared. One that cannot be forked goes over to the new model, if all follow and
        no prediction is under way: this one is closed then.

        Args:
            shapes: of the inputs, in order.
            settings: what the user asks for now; None: what it is.
            warnings: gets what the user is to be warned of.

        Raises:
            ModelClosed: it has been closed.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``. This one is as it was.
        """
        self._scheduled.lease.check()
        settings = self._settings if settings is None else settings
        wanted = dict(zip(self._graph.inputs, shapes, strict=True))
        notices = Notices(warnings=[] if warnings is None else warnings)
        session = self._scheduled.session
        if self.has_lost_device or not session.serves(settings.delegates):
            return _compiled(self._graph, wanted, settings, notices)
        from ..runtime.planning.scheduler import schedule

        scheduled = schedule(self._graph, wanted, settings, notices, session, self._scheduled)
        return CompiledModel(self._graph, scheduled)

    @property
    def is_closed(self) -> bool:
        """True once it was closed, or its graph kernels went over to a model for other shapes."""
        return self._scheduled.lease.is_closed

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Gives back what it holds, after the predictions that are under way; none can begin any more.

        Its graph kernels are released, but for what models reshaped from it share, and the delegates are closed with
        the last of these. Closing twice is the same as once.

        Args:
            reason: what later predictions raise.
        """
        self._scheduled.lease.close(reason)

    def calibrate(self, runs: int, settings: Settings | None = None, warnings: list[str] | None = None) -> KernelTimes:
        """Times of the kernels, for these shapes; see ``Model.calibrate``.

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
        from ..runtime.planning.calibration import calibrate
        from ..runtime.planning.limits import inferred_for

        warnings, own = [] if warnings is None else warnings, self._scheduled.session
        session = own if own.serves(settings.delegates) else open_session(settings.delegates)
        try:
            inferred, _ = inferred_for(self._graph, self.parts().known_shapes(), settings, session, warnings)
        finally:
            if session is not own:
                session.let_go()
        return calibrate(inferred.bind(), inferred.state, settings, runs, warnings)

    def take_warnings(self) -> list[str]:
        """Warnings for the user on the predictions so far, each thing once."""
        return self._fallbacks.take_warnings()

    def export_model(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The compiled model as bytes: graph, plan, and what the delegates made; nothing that is executed when read.

        ``import_model`` makes the same compiled model of them, without asking a delegate and without compiling, also in
        another process. The same compilation gives the same bytes.

        Args:
            path: a file to write them to as well, whole or not at all.

        Raises:
            ModelClosed: it has been closed.
            DelegateBuildError: a delegate cannot export (``Delegate.export_kernel``); it is named, nothing is written.
            LiteDelegateError: the model was only planned.
            InputError: the folder of the file does not exist, or the path is a folder.
        """
        from .model_file.exporting import sections_of
        from .model_file.files import written

        self._scheduled.lease.check()
        return written(*sections_of(self.parts()), path)

    def get_property(self, key: str) -> object:
        """The value of a property that is in effect: of the compiled model, or of its devices when it was compiled.

        Raises:
            PropertyError: there is no such property; the message has those that are close.
        """
        return self._properties.explain(key, self._facts()).value

    def explain_property(self, key: str) -> Explanation:
        """Why a property has its value: who set it, and the values that lost.

        Raises:
            PropertyError: there is no such property.
        """
        return self._properties.explain(key, self._facts())

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties that can be changed at run time (R in the documents), all of them or none.

        Raises:
            PropertyError: an unknown one, one that is fixed when a model is compiled, or a value that is not allowed.
        """
        on_error = self._properties.registry.checked(properties).get(ON_ERROR)
        if on_error == "FALLBACK" and not self._settings.falls_back:
            raise PropertyError(
                f"{ON_ERROR} can be FALLBACK only on a model that was compiled so, which has the CPU kernels; compile "
                f"it again with {ON_ERROR}=FALLBACK."
            )
        self._properties = self._properties.changed(properties)
        if on_error is not None:
            self._fallbacks.switch(is_on=on_error == "FALLBACK")

    def _facts(self) -> dict[str, object]:
        """The values of its own properties."""
        devices = {node.device for node in self._plan.record.nodes}
        return {
            "NETWORK_NAME": self._graph.name or "",
            "EXECUTION_DEVICES": tuple(name for name in (*self.delegates, CPU) if name in devices),
            "LOADED_FROM_CACHE": self._cache_outcome.status is CacheStatus.HIT,
            "OPTIMAL_NUMBER_OF_INFER_REQUESTS": self._optimal_requests,
        }

    @property
    def cache_outcome(self) -> CacheOutcome:
        """What the cache did when this was compiled, and why."""
        return self._cache_outcome

    def with_cache_outcome(self, outcome: CacheOutcome) -> CompiledModel:
        """This model, which remembers what the cache did when it was compiled."""
        self._cache_outcome = outcome
        return self

    def parts(self) -> ModelParts:
        """What it is made of. Not to be changed."""
        from .model_file.parts import ModelParts

        return ModelParts(self._graph, self._scheduled, self._closed_shapes, self._shape_error)


def compile_graph(
    graph: Graph,
    settings: Settings,
    warnings: list[str] | None = None,
    shapes: Mapping[str, Sequence[int]] = NO_SHAPES,
    notes: Sequence[str] = (),
) -> CompiledModel:
    """Plans a graph for the shapes that it declares; open dimensions are closed by the rule of ``close_shapes``.

    A graph that does not take the shapes of that rule is planned with open dimensions, which delegates claim little of.

    Args:
        graph: a verified graph, which must not be changed afterwards.
        settings: what the user asks for.
        warnings: gets what the user is to be warned of, also where this fails.
        shapes: of inputs, by name, where they are not to be those.
        notes: what the record is to say before what follows from planning.

    Raises:
        InputError: ``shapes`` names no input, or does not fit what the graph declares.
        LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
    """
    notices = Notices([*notes], [] if warnings is None else warnings)
    given = given_shapes(graph.inputs, shapes)
    return _compiled(graph, given, settings, notices, close_shapes([v for v in graph.inputs if v not in given]))


def compile_for_shapes(
    graph: Graph, shapes: Sequence[Sequence[int]], settings: Settings, warnings: list[str]
) -> CompiledModel:
    """Plans a graph for any shapes of its inputs, also others than it declares; all anew, unlike ``reshaped``.

    Args:
        graph, settings, warnings: as for ``compile_graph``.
        shapes: of the inputs, in order.

    Raises:
        LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
    """
    given = {value: tuple(shape) for value, shape in zip(graph.inputs, shapes, strict=True)}
    return _compiled(graph, given, settings, Notices(warnings=warnings))


def _compiled(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes = ALL_KNOWN,
) -> CompiledModel:
    """A graph planned from the start: with delegates that are initialized for it."""
    from ..runtime.planning.scheduler import schedule  # what plans is loaded with the first model, not before

    session = open_session(settings.delegates)
    try:
        shapes = {**closed.shapes, **input_shapes}
        return CompiledModel(graph, schedule(graph, shapes, settings, notices, session), closed)
    except ShapeError as e:
        if not closed.shapes:
            raise
        return CompiledModel(graph, schedule(graph, input_shapes, settings, notices, session), closed, e)
    finally:
        session.let_go()  # the plan has its own share


def _text(closed: ClosedShapes, error: ShapeError | None) -> str:
    return closed.text if error is None else f"{closed.text}; planned with open dimensions because of: {error}"


def _runner(scheduled: Scheduled, fallbacks: Fallbacks, instead: Instead | None = None) -> Runner:
    """A runner of a plan."""
    scheduled.lease.check()
    if scheduled.settings.plan_only:
        raise LiteDelegateError("The Model was only planned and cannot predict: set Context.plan_only to False.")
    settings, shared = scheduled.settings, scheduled.settings.shared_state_buffers
    threads = settings.stream_threads or settings.threads
    return Runner(scheduled.plan, scheduled.lease, fallbacks, threads, instead, shared_state_buffers=shared)


def _request(
    make_runner: RunnerMaker,
    executor: Executor,
    ports: tuple[Sequence[Port], Sequence[Port]],
    instead: Instead | None = None,
) -> InferRequest:
    """A request; no method, see ``CompiledModel._runner_maker``."""
    runner = make_runner(instead)
    runner.take_request_memory()
    return InferRequest(runner, *ports, executor)
