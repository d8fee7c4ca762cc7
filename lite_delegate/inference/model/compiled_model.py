"""CompiledModel: a graph that is planned for what the user asked for, and for one set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...delegate import Kernel
from ...properties import Explanation
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.execution.run import Instead
from ...runtime.records.records import PartitionRecord
from ...runtime.settings import Settings
from ..planned.origin import UNKNOWN, Origin
from ..properties.model_properties import ON_ERROR
from ..requests.request_maker import request_of
from ..requests.signature_requests import SignatureRequests
from ..requests.signed_model import SignedModel
from ..running.runner import Runner
from ..tensors.given_inputs import Given, Inputs, with_named
from ..tensors.results import Results
from .calls import Calls
from .run_setup import RunSetup, executor_of, setup_of

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor
    from ..model_file.parts import ModelParts
    from ..requests.infer_request import InferRequest
    from .status import AutoStatus, BatchStatus, MultiStatus


class CompiledModel(SignedModel):
    """A graph planned for settings and one set of input shapes; ``compiling.compile_graph`` makes it.

    Immutable, and shared by any number of requests in any number of threads. How its graph kernels do meanwhile (who
    failed, which device is lost, whose turn it is) is kept beside the plan; its devices keep what is set at run time.

    It holds its graph kernels, and the delegates with all that was reshaped from it, until it is closed or nobody has
    it, or a request of it, any more.

    Args:
        setup: its plans and devices, and how they are run.
        origin: where it comes from.
    """

    def __init__(self, setup: RunSetup, origin: Origin) -> None:
        super().__init__(setup.plans.parts(), origin)
        self._setup, self._plans, self._devices = setup, setup.plans, setup.devices
        self._executor = executor_of(setup)
        ports = self._inputs, self._outputs = setup.inputs, setup.outputs
        self._make_request = partial(request_of, setup.make_runner, self._executor, ports, in_order=setup.runs_in_order)
        self._calls = Calls(setup, self._make_request)

    @property
    def setup(self) -> RunSetup:
        """Its plans, and how they are run. Not to be changed."""
        return self._setup

    @property
    def plan(self) -> ExecutionPlan:
        """The plan that each prediction executes; of a model with open dimensions the one that was used last."""
        return self._plans.plan

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._devices.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """Who runs what, and why, and which graph kernels failed in the predictions so far."""
        return self._devices.partition

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._plans.has_lost_device

    @property
    def is_closed(self) -> bool:
        """True once it was closed, or its graph kernels went over to a model for other shapes."""
        return self._plans.is_closed

    def parts(self) -> ModelParts:
        """What it is made of, on the device that runs go to now. Not to be changed."""
        return self._devices.parts()

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
        request = self._make_request(instead)
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
        return self._calls.infer(given)

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Gives back what it holds, after the predictions that are under way; none can begin any more.

        Its graph kernels are released, but for what models reshaped from it share, and the delegates are closed with
        the last of these. Closing twice is the same as once.

        Args:
            reason: what later predictions raise.
        """
        self._devices.close(reason)
        super().close(reason)
        self.release_memory()

    async def infer_async(self, inputs: Inputs = None) -> Results:
        """As ``__call__``, while the event loop goes on; from any loops, of which ``optimal_requests`` run at once.

        A task that is cancelled cancels the run, and goes on when that has ended.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.

        Raises:
            Exception: as ``InferRequest.infer_async``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return await self._calls.infer_async(inputs)

    def infer_into(self, inputs: Inputs, outputs: Sequence[Tensor] = ()) -> Results:
        """As ``__call__``, by a request that is kept for the next time: inputs and outputs may be on a device.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: that are written to, one per output, see ``InferRequest.set_tensor``; none: there are new arrays.

        Raises:
            Exception: as ``InferRequest.infer`` and ``InferRequest.set_tensor``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return self._calls.infer_into(inputs, outputs)

    @property
    def runs_in_order(self) -> bool:
        """Whether its runs are computed one at a time, in the order in which they were started."""
        return self._setup.runs_in_order

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
        kept = self._calls.release()
        return kept if self.is_closed else kept + self._devices.release()

    def create_runner(self, instead: Instead | None = None) -> Runner:
        """A runner: what is private to one run at a time, without anything that lasts between runs.

        Args:
            instead: what runs in the steps of graph kernels; None: they do.

        Raises:
            ModelClosed: it has been closed.
            LiteDelegateError: the model was only planned.
        """
        return self._setup.make_runner(instead)

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
        from ..planned.planned_parts import planned_after

        settings = self._settings if settings is None else settings
        warnings, lost = [] if warnings is None else warnings, self.has_lost_device
        found = of_parts(planned_after(self._plans.parts(), shapes, settings, warnings, has_lost_device=lost))
        has, changes = found.get_property("SUPPORTED_PROPERTIES"), dict(self._devices.at_run_time)
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
        facts = {**self._origin.facts(), "OPTIMAL_NUMBER_OF_INFER_REQUESTS": self.optimal_requests}
        return self._devices.explain(key, facts)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties that can be changed at run time (R in the documents), all of them or none.

        Raises:
            PropertyError: an unknown one, one that is fixed when a model is compiled, or a value that is not allowed.
        """
        self._devices.set_property(properties)

    @property
    def auto(self) -> AutoStatus:
        """How AUTO stands; AttributeError where the CPU does not stand in for another device."""
        return self._devices.auto

    def wait_ready(self, timeout: float | None = None) -> bool:
        """Waits until AUTO knows which device stays; whether AUTO knows it by then.

        Args:
            timeout: seconds; None for no limit.

        Raises:
            AttributeError: the CPU does not stand in for another device.
            Exception: what compiling for the device raised; the CPU goes on.
        """
        return self._devices.wait_ready(timeout)

    @property
    def multi(self) -> MultiStatus:
        """How MULTI stands; AttributeError where the model is not compiled for it."""
        return self._devices.multi

    @property
    def batch(self) -> BatchStatus:
        """How BATCH stands; AttributeError where runs of the model are not joined."""
        return self._devices.batch


def of_parts(parts: ModelParts, origin: Origin = UNKNOWN) -> CompiledModel:
    """The compiled model that parts make."""
    return CompiledModel(setup_of(parts), origin)
