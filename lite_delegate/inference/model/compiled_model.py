"""CompiledModel: a graph that is planned for settings and one set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from ...basics.words.one_line import OneLine
from ...delegate import DeviceFile, Kernel
from ...properties import Explanation
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.execution.run import Instead
from ...runtime.records.records import PartitionRecord
from ...runtime.settings import Settings
from ..model_file.device_file import device_file_of
from ..planned.model_line import model_line
from ..planned.origin import UNKNOWN, ModelCall, Origin
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


class CompiledModel(SignedModel, OneLine):
    """A graph planned for settings and one set of input shapes; ``compile_graph`` makes it.

    A compiled model is immutable, and shared by any number of requests in any number of threads. The state of its graph
    kernels (failures, lost devices, turns) is kept beside the plan; its devices keep the properties set at run time.

    A compiled model holds its graph kernels, and shares the delegates with the models reshaped from it, until it is
    closed or the last reference to the model and its requests is gone.

    Args:
        setup: the plans, the devices, and the options of runs.
        origin: of the model: cache, devices, signatures.
    """

    def __init__(self, setup: RunSetup, origin: Origin) -> None:
        super().__init__(setup.plans.parts(), origin)
        self._setup, self._plans, self._devices = setup, setup.plans, setup.devices
        self._executor = executor_of(setup)
        self._changes: dict[str, object] = {}
        ports = self._inputs, self._outputs = setup.inputs, setup.outputs
        self._make_request = partial(request_of, setup.make_runner, self._executor, ports, in_order=setup.runs_in_order)
        self._calls = Calls(setup, self._make_request)

    def __reduce__(self) -> tuple[Any, ...]:
        """The call that made the model, which another process repeats, and the properties that were set at run time.

        Raises:
            ModelClosed: the model has been closed.
            TypeError: the model was not made by a ``Core``, or a part of the call does not pickle.
            ModelFormatError: the model's file changed since the call.
        """
        self.check_open()
        if self._origin.call is None:
            raise TypeError(
                "This CompiledModel cannot be pickled: only Core.compile_model and Core.import_model make models that "
                "another process can make once more. Pickle the Model that it is of, or export it."
            )
        return _repeated, (self._origin.call, self._origin.shapes, dict(self._changes))

    def __copy__(self) -> Self:
        """The model itself, which is shared: it does not change, and ``close`` counts for all who have it."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """The model itself, as ``__copy__``."""
        return self

    @property
    def setup(self) -> RunSetup:
        """The plans, the devices, and the options of runs. Not to be changed."""
        return self._setup

    @property
    def plan(self) -> ExecutionPlan:
        """The plan that each prediction executes; for a model with open dimensions the plan of the latest run."""
        return self._plans.plan

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._devices.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """The device of each node with its reason, and the graph kernels that failed in predictions so far."""
        return self._devices.partition

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._plans.has_lost_device

    @property
    def is_closed(self) -> bool:
        """True once the model was closed, or its graph kernels moved to a model for other shapes."""
        return self._plans.is_closed

    def parts(self) -> ModelParts:
        """The parts of the model on the current device of runs. Not to be changed."""
        return self._devices.parts()

    def device_file(self) -> DeviceFile:
        """The file that the device's own runtime loads in place of the model, without this package.

        Raises:
            DelegateError: the model is not one graph kernel, or its delegate writes no files for a device.
        """
        return device_file_of(self.partition, self.graph_kernels, self.parts().delegates.values())

    def check_open(self) -> None:
        """Raises ModelClosed after ``close``."""
        self._plans.check_open()

    def take_warnings(self) -> list[str]:
        """Warnings for the user about predictions so far, each warning once."""
        return self._plans.take_warnings()

    def create_infer_request(self, instead: Instead | None = None) -> InferRequest:
        """A request, which has one run at a time and tensors that last from run to run.

        Args:
            instead: runs in the steps of graph kernels in their place; None: the graph kernels run.

        Raises:
            ModelClosed: the model has been closed.
            DelegateBuildError: a device has no memory left for the request.
            LiteDelegateError: the model was only planned.
        """
        request = self._make_request(instead)
        if self._graph.signatures:
            request.signatures = SignatureRequests(self, request)
        return request

    def __call__(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """Runs the model once. Of calls from several threads ``optimal_requests`` run at once, and later calls wait.

        Variables of the model begin with their initial values.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            share_inputs, share_outputs: accepted as by requests, without effect: no later run writes to the results.
            named: inputs by name, or by their names in the model's signature.

        Returns:
            The outputs: new arrays, which are the caller's.

        Raises:
            TypeError, InputError, ModelClosed, KernelError, DelegateExecuteError: as ``InferRequest.infer``.
            DelegateBuildError: a device has no memory left for a request.
        """
        given = with_named(inputs, named) if named else inputs
        return self._calls.infer(given)

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Closes the model after the predictions under way; later predictions raise ModelClosed.

        Graph kernels are released once no reshaped model shares them, and the delegates are closed with the last model.
        A second call has no effect.

        Args:
            reason: the message that later predictions raise.
        """
        self._devices.close(reason)
        super().close(reason)
        self.release_memory()

    async def infer_async(self, inputs: Inputs = None) -> Results:
        """As ``__call__``, while the event loop goes on. Of calls from all loops ``optimal_requests`` run at once.

        The cancellation of a task cancels its run, and the task goes on when the run has ended.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.

        Raises:
            Exception: as ``InferRequest.infer_async``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return await self._calls.infer_async(inputs)

    def infer_into(self, inputs: Inputs, outputs: Sequence[Tensor] = ()) -> Results:
        """As ``__call__``, with a request that is kept for the next call: inputs and outputs may be on a device.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: tensors to write to, one per output, see ``InferRequest.set_tensor``; empty: new arrays.

        Raises:
            Exception: as ``InferRequest.infer`` and ``InferRequest.set_tensor``.
            DelegateBuildError: a device has no memory left for a request.
        """
        return self._calls.infer_into(inputs, outputs)

    @property
    def runs_in_order(self) -> bool:
        """Whether runs are computed one at a time, in the order of their starts."""
        return self._setup.runs_in_order

    @property
    def optimal_requests(self) -> int:
        """The number of requests that keep the devices busy, by the delegates; without delegates one for each core."""
        return self._setup.optimal_requests

    def release_memory(self) -> int:
        """Drops the idle runners and requests of calls, and the plans for other shapes that no request uses.

        Requests of the user, busy or idle, keep their memory.

        Returns:
            The bytes that became free on devices.
        """
        kept = self._calls.release()
        return kept if self.is_closed else kept + self._devices.release()

    def create_runner(self, instead: Instead | None = None) -> Runner:
        """A runner, which has one run at a time and keeps no tensors between runs.

        Args:
            instead: runs in the steps of graph kernels in their place; None: the graph kernels run.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: the model was only planned.
        """
        return self._setup.make_runner(instead)

    def reshaped(
        self,
        shapes: Sequence[tuple[int, ...]],
        settings: Settings | None = None,
        warnings: list[str] | None = None,
    ) -> CompiledModel:
        """The compiled model for other shapes of its inputs. Graph kernels that can be reshaped are reused.

        Properties that were set at run time are set on the new model, too.

        The models share graph kernels that can be forked. A graph kernel that cannot be forked moves to the new model,
        if all graph kernels can be reshaped and no prediction is under way; the old model is closed then.

        Args:
            shapes: of the inputs, in order.
            settings: of the new model; None: the settings of the old model.
            warnings: gets the warnings for the user.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``; the old model does not change.
        """
        from ..planned.planned_parts import planned_after

        settings = self._settings if settings is None else settings
        warnings, lost = [] if warnings is None else warnings, self.has_lost_device
        call = self._origin.call if settings is self._settings else None
        origin = Origin(call=call, shapes=tuple(map(tuple, shapes)))
        found = of_parts(planned_after(self._plans.parts(), shapes, settings, warnings, has_lost_device=lost), origin)
        has, changes = found.get_property("SUPPORTED_PROPERTIES"), dict(self._devices.at_run_time)
        if not settings.falls_back:
            changes.pop(ON_ERROR, None)
        if isinstance(has, tuple) and (mine := {name: value for name, value in changes.items() if name in has}):
            found.set_property(mine)
        return found

    def get_property(self, key: str) -> object:
        """The effective value of a property of the compiled model, or of its devices at compilation.

        Raises:
            PropertyError: there is no such property; the message suggests similar names.
        """
        return self.explain_property(key).value

    def explain_property(self, key: str) -> Explanation:
        """The value of a property, its origin, and the values that were overridden.

        Raises:
            PropertyError: there is no such property.
        """
        facts = {**self._origin.facts(), "OPTIMAL_NUMBER_OF_INFER_REQUESTS": self.optimal_requests}
        return self._devices.explain(key, facts)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets run-time properties (R in the documents), all of them or none.

        Raises:
            PropertyError: a property is unknown or fixed at compilation, or a value is not allowed.
        """
        self._devices.set_property(properties)
        self._changes = {**self._changes, **{str(name).upper(): value for name, value in properties.items()}}

    @property
    def auto(self) -> AutoStatus:
        """The status of AUTO; AttributeError for a model that never runs on the CPU in place of a device."""
        return self._devices.auto

    def wait_ready(self, timeout: float | None = None) -> bool:
        """Waits until AUTO has chosen its device; False after a timeout.

        Args:
            timeout: seconds; None for no limit.

        Raises:
            AttributeError: the model does not run on the CPU in place of another device.
            Exception: the compilation for the device failed; runs stay on the CPU.
        """
        return self._devices.wait_ready(timeout)

    @property
    def multi(self) -> MultiStatus:
        """The status of MULTI; AttributeError for a model that is not compiled for MULTI."""
        return self._devices.multi

    @property
    def batch(self) -> BatchStatus:
        """The status of BATCH; AttributeError for a model whose runs are not joined."""
        return self._devices.batch

    def _line(self) -> str:
        said = model_line(self._graph.name, self.parts(), self._inputs, self._outputs)
        return f"{said}, closed" if self.is_closed else said


def of_parts(parts: ModelParts, origin: Origin = UNKNOWN) -> CompiledModel:
    """The compiled model of the parts."""
    return CompiledModel(setup_of(parts), origin)


def _repeated(
    call: ModelCall, shapes: Sequence[tuple[int, ...]] | None, changes: Mapping[str, object]
) -> CompiledModel:
    """A compiled model from its pickle.

    Args:
        call: the call that made the model.
        shapes: the shapes that the model was reshaped to; None: the shapes of the call.
        changes: the properties that were set at run time.
    """
    made: CompiledModel = call.repeated()
    found = made if shapes is None else made.reshaped(shapes)
    if changes:
        found.set_property(changes)
    return found
