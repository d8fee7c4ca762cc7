"""CompiledModel: a graph that is planned for what the user asked for, and for one set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from ...cache.outcome import CacheOutcome, CacheStatus
from ...delegate import Kernel
from ...errors import PropertyError
from ...properties import Explanation
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.execution.run import Instead
from ...runtime.records.records import CPU, PartitionRecord
from ...runtime.settings import Settings
from ..executor.exclusive import exclusive_executor
from ..executor.executor import Executor
from ..planned.origin import UNKNOWN, Origin
from ..properties.cpu_properties import LOG
from ..properties.model_properties import ON_ERROR, PRIORITIES, ModelProperties, device_properties
from ..requests.request_maker import request_of
from ..requests.signature_requests import SignatureRequests
from ..requests.signed_model import SignedModel
from ..running.runner import Runner
from ..tensors.given import Given, Inputs, with_named
from ..tensors.port import Bounds
from ..tensors.results import Results
from .calls import Calls
from .run_setup import RunSetup, setup_of

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor
    from ..model_file.parts import ModelParts
    from ..requests.idle_requests import IdleRequests
    from ..requests.infer_request import InferRequest
    from ..requests.request_pool import RequestPool


class CompiledModel(SignedModel):
    """A graph planned for settings and one set of input shapes; ``compiling.compile_graph`` makes it.

    Immutable, and shared by any number of requests in any number of threads. How its graph kernels do meanwhile (who
    failed, which device is lost, whose turn it is) is kept beside the plan.

    It holds its graph kernels, and the delegates with all that was reshaped from it, until it is closed or nobody has
    it, or a request of it, any more.

    Args:
        setup: its plans, and how they are run.
        origin: where it comes from.
    """

    def __init__(self, setup: RunSetup, origin: Origin) -> None:
        super().__init__(setup.plans.parts(), origin)
        self._setup = setup
        self._plans = setup.plans
        self._inputs, self._outputs = setup.inputs, setup.outputs
        devices = device_properties(self._settings, setup.owners)
        self._properties = ModelProperties(devices)
        self._in_order = self._properties.number("NPU_RUN_INFERENCES_SEQUENTIALLY") == 1
        streams = 1 if self._in_order else self._properties.number("NUM_STREAMS") or setup.optimal_requests
        shared = exclusive_executor(devices) if setup.shares_worker else None
        each = self._settings.stream_threads or self._settings.chosen_threads
        overlaps = not self._in_order
        self._executor = shared or Executor(streams, self._settings.threads, each, overlaps=overlaps)
        self._make_runner = setup.make_runner
        self._calls = Calls(setup.make_runner, setup.optimal_requests, setup.inputs, setup.outputs)

    @property
    def setup(self) -> RunSetup:
        """Its plans, and how they are run. Not to be changed."""
        return self._setup

    @property
    def plan(self) -> ExecutionPlan:
        """The plan that each prediction executes; of a model with open dimensions the one that was used last."""
        return self._plans.plan

    @property
    def bounds(self) -> Bounds | None:
        """What the dimensions of its inputs may be, where it is planned for those of each run; None where it is not."""
        return self._parts.bounds

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._plans.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """Who runs what, and why, and which graph kernels failed in the predictions so far."""
        record = self._plans.partition
        return replace(record, notes=(*record.notes, self._setup.note)) if self._setup.note else record

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._plans.has_lost_device

    @property
    def is_closed(self) -> bool:
        """True once it was closed, or its graph kernels went over to a model for other shapes."""
        return self._plans.is_closed

    def parts(self) -> ModelParts:
        """What it is made of. Not to be changed."""
        return self._plans.parts()

    def check_open(self) -> None:
        """Raises ModelClosed once it was closed."""
        self._plans.check_open()

    def take_warnings(self) -> list[str]:
        """Warnings for the user on the predictions so far, each thing once."""
        return self._plans.take_warnings()

    def create_infer_request(self, instead: Instead | None = None) -> InferRequest:
        """A request: what is private to one run at a time, with tensors that last.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            ModelClosed: it has been closed.
            DelegateBuildError: a device has no memory left for it.
            LiteDelegateError: the model was only planned.
        """
        request = request_of(
            self._make_runner, self._executor, (self._inputs, self._outputs), instead, in_order=self._in_order
        )
        if self._graph.signatures:
            request.signatures = SignatureRequests(self, request)
        return request

    def __call__(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """Runs the model once; from any number of threads, of which ``optimal_requests`` run at once, others wait.

        Variables of the model begin with their initial values.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            share_inputs, share_outputs: accepted, as requests do; nothing else ever writes to the results.
            named: inputs by name, also by those of the model's signature.

        Returns:
            The outputs: new arrays, which are the caller's.

        Raises:
            TypeError, InputError, ModelClosed, KernelError, DelegateExecuteError: as ``InferRequest.infer``.
            DelegateBuildError: a device has no memory left for a request.
        """
        given = with_named(inputs, named) if named else inputs
        return self._idle_requests.infer(given, ()) if self._in_order else self._calls.infer(given)

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Gives back what it holds, after the predictions that are under way; none can begin any more.

        Its graph kernels are released, but for what models reshaped from it share, and the delegates are closed with
        the last of these. Closing twice is the same as once.

        Args:
            reason: what later predictions raise.
        """
        self._plans.close(reason)
        super().close(reason)
        self.release_memory()

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

    def infer_into(self, inputs: Inputs, outputs: Sequence[Tensor] = ()) -> Results:
        """As ``__call__``, by a request that is kept for the next time: inputs and outputs may be on a device.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: that are written to, one per output, see ``InferRequest.set_tensor``; none: there are new arrays.

        Raises:
            Exception: as ``InferRequest.infer`` and ``InferRequest.set_tensor``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return self._idle_requests.infer(inputs, outputs)

    @cached_property
    def _idle_requests(self) -> IdleRequests:
        from ..requests.idle_requests import IdleRequests  # calls with arrays of the host do without

        ports = self._inputs, self._outputs
        return IdleRequests(partial(request_of, self._make_runner, self._executor, ports, in_order=self._in_order))

    @cached_property
    def _pool(self) -> RequestPool:
        from ..requests.request_pool import RequestPool  # asyncio is loaded where it is needed

        ports = self._inputs, self._outputs
        make = partial(request_of, self._make_runner, self._executor, ports, in_order=self._in_order)
        return RequestPool(make, self.optimal_requests)

    @property
    def runs_in_order(self) -> bool:
        """Whether its runs are computed one at a time, in the order in which they were started."""
        return self._in_order

    @property
    def optimal_requests(self) -> int:
        """How many requests keep the devices busy: as delegates say that run something, else one for each core."""
        return self._setup.optimal_requests

    def release_memory(self) -> int:
        """Gives up what calls of the model keep for the next one, and plans for other shapes that no request has.

        Requests, also busy ones, keep what they have.

        Returns:
            The bytes that devices have free now and had not before.
        """
        pools = (self.__dict__.get(name) for name in ("_pool", "_idle_requests"))  # not made for this
        kept: int = self._calls.release() + sum(pool.release() for pool in pools if pool is not None)
        return kept if self.is_closed else kept + self._plans.release()

    def create_runner(self, instead: Instead | None = None) -> Runner:
        """A runner: what is private to one run at a time, without anything that lasts between runs.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            ModelClosed: it has been closed.
            LiteDelegateError: the model was only planned.
        """
        return self._make_runner(instead)

    def reshaped(
        self,
        shapes: Sequence[tuple[int, ...]],
        settings: Settings | None = None,
        warnings: list[str] | None = None,
    ) -> CompiledModel:
        """The same graph for other shapes of its inputs. Graph kernels that can follow are not made anew.

        What was set on it at run time is set on the new one.

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
        from ..planned.planning import planned_after

        settings = self._settings if settings is None else settings
        warnings, lost = [] if warnings is None else warnings, self.has_lost_device
        found = of_parts(planned_after(self.parts(), shapes, settings, warnings, has_lost_device=lost))
        has, changes = found.get_property("SUPPORTED_PROPERTIES"), self._properties.at_run_time
        if not settings.falls_back:
            changes.pop(ON_ERROR, None)
        if isinstance(has, tuple) and (mine := {name: value for name, value in changes.items() if name in has}):
            found.set_property(mine)
        return found

    def get_property(self, key: str) -> object:
        """The value of a property that is in effect: of the compiled model, or of its devices when it was compiled.

        Raises:
            PropertyError: there is no such property; the message has those that are close.
        """
        return self.explain_property(key).value

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
        checked = self._properties.registry.checked(properties)
        on_error, level = checked.get(ON_ERROR), checked.get(LOG)
        if on_error == "FALLBACK" and not self._settings.falls_back:
            raise PropertyError(
                f"{ON_ERROR} can be FALLBACK only on a model that was compiled so, which has the CPU kernels; compile "
                f"it again with {ON_ERROR}=FALLBACK."
            )
        self._properties = self._properties.changed(properties)
        if level is not None:
            self.log.change(str(level))
        falls_back = None if on_error is None else on_error == "FALLBACK"
        self._plans.change(self._properties, falls_back=falls_back)

    def _facts(self) -> dict[str, object]:
        """The values of its own properties."""
        devices = {node.device for node in self._plan.record.nodes}
        return {
            "NETWORK_NAME": self._graph.name or "",
            "EXECUTION_DEVICES": tuple(name for name in (*self.delegates, CPU) if name in devices),
            PRIORITIES: self._origin.devices,
            "LOADED_FROM_CACHE": self._origin.cache.status is CacheStatus.HIT,
            "OPTIMAL_NUMBER_OF_INFER_REQUESTS": self.optimal_requests,
        }

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self._origin

    def with_origin(self, origin: Origin) -> Self:
        """A model that differs from this one by its origin alone; both share plans, calls and requests' workers.

        Only one of them is used further: what is set at run time, or kept for the next call, is each one's own.
        """
        found = copy(self)
        vars(found)["_origin"] = origin
        return found

    @property
    def cache_outcome(self) -> CacheOutcome:
        """What the cache did when this was compiled, and why."""
        return self._origin.cache


def of_parts(parts: ModelParts, origin: Origin = UNKNOWN) -> CompiledModel:
    """The compiled model that parts make."""
    return CompiledModel(setup_of(parts), origin)
