"""SyncRequest: a request of a compiled model, with tensors that last from one run to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from datetime import timedelta
from functools import partial
from typing import Any, NoReturn, SupportsIndex

import numpy as np
from lite_delegate_kernels import Array

from ...basics.forking import stays_here
from ...errors import RequestError
from ...remote import RemoteTensor
from ...tensors.tensor import Tensor
from ..profiling.profile import RequestProfile
from ..profiling.profiling_info import ProfilingInfo, profiling_infos
from ..profiling.stages import Stage
from ..state.state import SharedValues, VariableState
from ..tensors.copies import Copy
from ..tensors.given_inputs import Given, Inputs, with_named
from ..tensors.port import Port
from ..tensors.remote_ports import check_reached, is_on_device
from ..tensors.request_tensors import Place
from ..tensors.results import Results
from ..tensors.snapshot import StateSnapshot
from .job import Job
from .lifecycle import Outcome, RequestStatus
from .running_request import RunningRequest

_PREPROCESS = Stage.PREPROCESS
COPIED_RESULT = "a step's result is written to the tensor at the commit"


class SyncRequest(RunningRequest):
    """A request of a compiled model: tensors, states, and the outcome of the last run.

    ``CompiledModel.create_infer_request`` makes it. A request has one run at a time: each thread that predicts needs
    its own request. A request can be reused after any outcome. It keeps the plan and the graph kernels, so it may
    outlive the compiled model.

    Outputs and states change at one point of a run, its commit, which cannot fail: after a failed or cancelled run they
    hold the values of the last successful run, and ``results`` raises the error.

    Tensors that were set, or that ``get_tensor`` gave and the user filled, feed every run. Inputs of ``infer`` feed one
    run only and are not kept.

    Args:
        runner: of the model.
        inputs: of the model.
        outputs: of the model.
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: a request has a run and memory of its process."""
        stays_here(self, "pickle the CompiledModel, and call create_infer_request() in the other process")

    @property
    def status(self) -> RequestStatus:
        """The status of the request; readable at any time."""
        return self._lifecycle.status

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the last run, None before the end of the first run; readable at any time."""
        return self._lifecycle.outcome

    @property
    def error(self) -> Exception | None:
        """The error of the last run; None after a successful run."""
        return self._lifecycle.error

    def cancel(self) -> bool:
        """Asks the run under way to end, and does not wait; True exactly if its outcome will be CANCELLED."""
        return self._lifecycle.cancel()

    def infer(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """Runs the model once, in the caller's thread.

        Args:
            inputs: tensors, arrays or numbers by name, index or port; or for all inputs in order; or the only one.
                Inputs without a value are read from the request's tensors. Inputs are never written to.
            share_inputs: accepted as in OpenVINO, without effect: inputs that fit are never copied, see ``copies``.
            share_outputs: whether the results are views of the request's tensors, which change with the next run.
            named: inputs by name, or by their names in the model's signature.

        Returns:
            The outputs, as new arrays of the caller, unless shared.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape, or an input without a value.
            RequestBusy: a run of the request is under way.
            RequestCancelled: the run was cancelled.
            ShapeError: a tensor that was set for an output is too small.
            ModelClosed: the compiled model has been closed.
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and no CPU kernel takes over; the message names it.
        """
        job = Job(_PREPROCESS)
        try:
            self._begin(job, "infer", with_named(inputs, named) if named else inputs)
            made = copy_context().run(self._computed, job)
            return self._shared() if share_outputs else Results(self._outputs, made)
        finally:
            if self._lifecycle.runs or self._completions:
                self._let_go(job)
            if self._gate.is_shut:
                self._runner.lease.leave()

    def give_back_memory(self) -> int:
        """Gives the request's device memory back before the request is dropped; a worker may hold it a moment longer.

        Returns:
            The bytes that were given back.
        """
        return self._runner.give_back_memory()

    @property
    def device(self) -> str:
        """The device of the latest run: the names of the delegates, or "CPU"."""
        return self._runner.device

    @property
    def results(self) -> Results:
        """The outputs of the last run, as new arrays; an output on a device as its remote tensor.

        Raises:
            RequestBusy: a run is under way.
            RequestError: nothing has run yet.
            LiteDelegateError: the last run failed.
        """
        self._lifecycle.check_idle("results")
        self._check_done()
        return Results(self._outputs, self._seen(partial(np.array, order="C")))

    def _shared(self) -> Results:
        self._tensors.give_outputs()
        return Results(self._outputs, self._seen(np.ndarray.view))

    def _seen(self, shown: Callable[[Array], Array]) -> list[Any]:
        """The contents of the output tensors; a remote tensor stands for itself."""
        self._tensors.settle()
        tensors = (place.tensor for place in self._tensors.outputs)
        return [each if isinstance(each, RemoteTensor) else shown(each.data) for each in tensors]

    def _check_done(self) -> None:
        if self.outcome is None:
            raise RequestError(f"Request {self.number}: nothing has run yet, so there are no results; call infer.")
        if self.error is not None:
            raise self.error

    @property
    def profile(self) -> RequestProfile:
        """The profile of the last run, also after a failed or cancelled run.

        Raises:
            RequestBusy: a run is under way.
            RequestError: nothing has run yet.
        """
        return self._last_job("profile").profile

    def get_profiling_info(self) -> list[ProfilingInfo]:
        """The time of the last run: three entries, then the steps of graph kernels.

        1. "input preprocessing", "execution time" and "output postprocessing" are sums of stages, in that order.
        2. Graph kernels with ``PERF_COUNT`` report their steps. Steps of the simulated NPU are estimates of the device,
           and do not add up with times of the host; OpenVINO and ONNX Runtime measure their layers.

        Raises:
            RequestBusy, RequestError: as ``profile``.
        """
        job = self._last_job("get_profiling_info")
        return profiling_infos(job.profile, job.cpu_ns, self._runner.plan.graph_kernels)

    @property
    def profiling_info(self) -> list[ProfilingInfo]:
        """The result of ``get_profiling_info()``, under OpenVINO's name."""
        return self.get_profiling_info()

    @property
    def latency(self) -> timedelta:
        """The time from the start of the last run to its commit, in whole microseconds; ``profile`` has nanoseconds.

        Raises:
            RequestBusy, RequestError: as ``profile``.
        """
        return timedelta(microseconds=self._last_job("latency").profile.latency_ns / 1000)

    @property
    def copies(self) -> list[Copy]:
        """The copies in host memory that the last run made, each with its reason.

        Raises:
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("copies")
        job, written = self._last, list[Copy]()
        if job is None:
            return []
        if job.is_written:
            self._tensors.settle()
            places = (place for place in self._tensors.outputs if not is_on_device(place.tensor))
            written = [Copy(place.port, place.nbytes, COPIED_RESULT) for place in places]
        return job.made_copies + written

    def _last_job(self, call: str) -> Job:
        self._lifecycle.check_idle(call)
        if self._last is None:
            raise RequestError(f"Request {self.number}: nothing has run yet, so there is no {call}; call infer.")
        return self._last

    def query_state(self) -> list[VariableState]:
        """The states, which are the values of variables between runs, in the order of the model's file.

        Raises:
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("query_state")
        return self._states.states()

    def reset_state(self) -> None:
        """Resets all states to the model's initial values.

        Raises:
            RequestBusy: a run is under way.
        """
        self._states.reset()

    def share_states(self, values: SharedValues, names: Sequence[str], other: SyncRequest) -> None:
        """Shares states with another request; both requests are busy while a run of either is under way.

        Args:
            values: of the shared states, by name.
            names: the shared name of each state; "" for a state that is not shared.
            other: the other request, or this request itself.
        """
        self._states.join(values, names)
        self._lifecycle.take_turns_with(other._lifecycle)

    def snapshot(self) -> StateSnapshot:
        """A snapshot of the present values of all states, without copies; later runs do not change a snapshot.

        Raises:
            RequestBusy: a run is under way.
        """
        return self._states.snapshot()

    def restore(self, snapshot: StateSnapshot) -> None:
        """Sets all states to a snapshot, of this request or of a request with equal states.

        Raises:
            RequestBusy: a run is under way.
            InputError: the model has other states; the message has the differences.
            TypeError: the argument is no snapshot.
        """
        self._states.restore(snapshot)

    def fork_state(self, from_request: SyncRequest) -> None:
        """Sets all states to the present values of another request, without copies; the states stay separate.

        Raises:
            RequestBusy: a run of either request is under way.
            InputError: the other request's model has other states; the message has the differences.
        """
        self._states.restore(from_request.snapshot())

    @property
    def model_inputs(self) -> tuple[Port, ...]:
        """The inputs of the model, in order."""
        return tuple(place.port for place in self._tensors.inputs)

    @property
    def model_outputs(self) -> tuple[Port, ...]:
        """The outputs of the model, in order."""
        return self._outputs

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors of all inputs, in order; see ``get_tensor``."""
        return [self.get_input_tensor(index) for index in range(len(self.model_inputs))]

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors of all outputs, in order; see ``get_tensor``."""
        return [self.get_output_tensor(index) for index in range(len(self.model_outputs))]

    def get_tensor(self, key: str | Port) -> Tensor:
        """The tensor of an input or output: the request's own, or the user's. The memory of the tensor does not move.

        Raises:
            RequestBusy: a run is under way.
            InputError: there is no such input or output.
        """
        self._lifecycle.check_idle("get_tensor")
        return self._tensors.give(self._tensors.find(key))

    def get_input_tensor(self, index: int = 0) -> Tensor:
        """The tensor of an input by index; see ``get_tensor``."""
        self._lifecycle.check_idle("get_input_tensor")
        return self._tensors.give(self._tensors.input(index))

    def get_output_tensor(self, index: int = 0) -> Tensor:
        """The tensor of an output by index; see ``get_tensor``."""
        self._lifecycle.check_idle("get_output_tensor")
        return self._tensors.give(self._tensors.output(index))

    def set_tensor(self, key: str | Port, tensor: Tensor | Array) -> None:
        """Sets the tensor that an input is read from, or an output is written to, from the next run on.

        Args:
            key: a name or a port.
            tensor: a tensor, or an array, whose memory is shared. A remote tensor is read, or written, on its device.

        Raises:
            RequestBusy: a run is under way.
            TypeError: the argument is neither a tensor nor an array.
            InputError: there is no such input or output, or its element type or shape differs.
            RemoteError: a remote tensor was released, or belongs to a device that the model does not run on.
            DeviceLost: the device of a remote tensor was lost.
        """
        self._lifecycle.check_idle("set_tensor")
        self._set(self._tensors.find(key), tensor)

    def set_input_tensor(self, index: int, tensor: Tensor | Array) -> None:
        """As ``set_tensor``, for an input by index."""
        self._lifecycle.check_idle("set_input_tensor")
        self._set(self._tensors.input(index), tensor)

    def set_output_tensor(self, index: int, tensor: Tensor | Array) -> None:
        """As ``set_tensor``, for an output by index."""
        self._lifecycle.check_idle("set_output_tensor")
        self._set(self._tensors.output(index), tensor)

    def own_outputs(self) -> None:
        """Drops the tensors that were set for outputs, and keeps outputs in memory of the request's own.

        Raises:
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("own_outputs")
        self._tensors.own_outputs()

    def _set(self, place: Place, tensor: Tensor | Array) -> None:
        if isinstance(tensor, RemoteTensor):
            check_reached(tensor, self._runner.next_plan, place.port)
        self._tensors.set(place, tensor)

    def set_tensors(self, key: str | Port, tensors: Sequence[Given], *, batch_axis: int = 0) -> None:
        """Sets the tensors that an input is joined from, one for each item of a batch, from the next run on.

        Args:
            key: a name or a port of an input.
            tensors: one tensor for each item of the input. The next run reads them at its start.
            batch_axis: the dimension that counts the items.

        Raises:
            RequestBusy: a run is under way.
            InputError: the number of tensors, an element type or a shape differs.
        """
        self._lifecycle.check_idle("set_tensors")
        self._tensors.join(key, tensors, batch_axis)
