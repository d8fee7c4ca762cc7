"""SyncRequest: a place in which a compiled model runs, with tensors that last from one run to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

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
    """A place in which a compiled model runs: tensors, and how the last run went.

    ``CompiledModel.create_infer_request`` makes it. One run at a time: threads that predict at once need a request
    each. It may be used again after any outcome, and keeps what the compiled model holds, so it may outlive it.

    Outputs and states change at one point of a run, its commit, which cannot fail: after a run that failed or was
    cancelled they hold what the last one gave that was done, and ``results`` raises the run's error.

    Tensors that are set, or that ``get_tensor`` gave and that were filled, feed every run. Inputs that are given to
    ``infer`` feed that run only, and nothing of them is kept.

    Args:
        runner: what runs.
        inputs: the model's.
        outputs: the model's.
    """

    @property
    def status(self) -> RequestStatus:
        """What the request is doing; readable at any time."""
        return self._lifecycle.status

    @property
    def outcome(self) -> Outcome | None:
        """How the last run ended, None before the end of the first; readable at any time."""
        return self._lifecycle.outcome

    @property
    def error(self) -> Exception | None:
        """What the last run raised; None where it was done."""
        return self._lifecycle.error

    def cancel(self) -> bool:
        """Asks the run that is under way to end, without waiting; True exactly if its outcome will be CANCELLED."""
        return self._lifecycle.cancel()

    def infer(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """Runs the model once, in this thread.

        Args:
            inputs: tensors, arrays or numbers by name, index or port; or for all inputs in order; or the only one.
                Those that nothing is given for are read from the request's tensors. They are not written to.
            share_inputs: accepted for OpenVINO's sake: inputs that fit are never copied, see ``copies``.
            share_outputs: whether the results are views of the request's tensors, which change with the next run.
            named: inputs by name, also by those of the model's signature.

        Returns:
            The outputs: new arrays, which are the caller's, unless shared.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape, or one that nothing was set for.
            RequestBusy: a run of this request is under way.
            RequestCancelled: it was cancelled.
            ShapeError: a tensor that was set for an output is too small.
            ModelClosed: the compiled model has been closed.
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and no CPU kernel takes over; the message names it.
        """
        job, lease = Job(_PREPROCESS), self._runner.lease
        begun = lease.enter()
        try:
            given = with_named(inputs, named) if named else inputs
            self._begin(job, "infer", given)
            made = self._run_once(job)
            return self._shared() if share_outputs else Results(self._outputs, made)
        finally:
            if self._lifecycle.run_under_way is job or self._completions:
                self._let_go(job)
            del begun
            lease.leave()

    def give_back_memory(self) -> int:
        """Gives back what it takes on devices, for who lets it go: a worker may have it for a moment longer.

        Returns:
            The bytes that it was.
        """
        return self._runner.give_back_memory()

    @property
    def device(self) -> str:
        """Where the latest run was: the names of the delegates that take part, or "CPU"."""
        return self._runner.device

    @property
    def results(self) -> Results:
        """The outputs of the last run, as new arrays; those that went to a device are the tensors there.

        Raises:
            RequestBusy: a run is under way.
            RequestError: nothing has run yet.
            LiteDelegateError: what the last run raised.
        """
        self._lifecycle.check_idle("results")
        self._check_done()
        return Results(self._outputs, self._seen(partial(np.array, order="C")))

    def _shared(self) -> Results:
        self._tensors.give_outputs()
        return Results(self._outputs, self._seen(np.ndarray.view))

    def _seen(self, shown: Callable[[Array], Array]) -> list[Any]:
        """What the tensors of the outputs hold; those on a device as they are."""
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
        """What the time of the last run went into, also of one that was not done.

        Raises:
            RequestBusy: a run is under way.
            RequestError: nothing has run yet.
        """
        return self._last_job("profile").profile

    def get_profiling_info(self) -> list[ProfilingInfo]:
        """The time of the last run: three entries, then the steps of graph kernels.

        1. "input preprocessing", "execution time" and "output postprocessing" are sums of stages, in that order.
        2. Steps are told by graph kernels that count them, with ``PERF_COUNT``. Those of the simulated NPU are
           estimates of its device, and do not add up with what was measured on the host; OpenVINO and
           ONNX Runtime measure their layers.

        Raises:
            RequestBusy, RequestError: as ``profile``.
        """
        job = self._last_job("get_profiling_info")
        return profiling_infos(job.profile, job.cpu_ns, self._runner.plan.graph_kernels)

    @property
    def profiling_info(self) -> list[ProfilingInfo]:
        """``get_profiling_info()``, as OpenVINO has it."""
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
        """Every copy in the host's memory that the last run made, and why.

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
        """The states, in the order of the model's file: what its variables hold from one run to the next.

        Raises:
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("query_state")
        return self._states.states()

    def reset_state(self) -> None:
        """All states go back to the model's initial values.

        Raises:
            RequestBusy: a run is under way.
        """
        self._states.reset()

    def share_states(self, values: SharedValues, names: Sequence[str], other: SyncRequest) -> None:
        """Some states are another request's, too; from now on both are busy while a run of one of them is under way.

        Args:
            values: what they hold, by name.
            names: of each state; "" for one that is this request's alone.
            other: may be this one.
        """
        self._states.join(values, names)
        self._lifecycle.take_turns_with(other._lifecycle)

    def snapshot(self) -> StateSnapshot:
        """The values of all states, as they are now; later runs do not change them. Nothing is copied.

        Raises:
            RequestBusy: a run is under way.
        """
        return self._states.snapshot()

    def restore(self, snapshot: StateSnapshot) -> None:
        """All states go back to a snapshot, of this request or of one of a model with the same states.

        Raises:
            RequestBusy: a run is under way.
            InputError: the model has other states; the message has the differences.
            TypeError: no snapshot.
        """
        self._states.restore(snapshot)

    def fork_state(self, from_request: SyncRequest) -> None:
        """All states become those of another request; both go on from there on their own. Nothing is copied.

        Raises:
            RequestBusy: a run of one of them is under way.
            InputError: the other's model has other states; the message has the differences.
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
        """The tensor of an input or output: the request's own, or the one that was set. Its memory stays the same.

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
        """Lets an input be read from a tensor, or an output be written to it, from the next run on.

        Args:
            key: a name or a port.
            tensor: a tensor, or an array, whose memory is shared. A remote tensor is read, or written, on its device.

        Raises:
            RequestBusy: a run is under way.
            TypeError: neither a tensor nor an array.
            InputError: there is no such input or output; or it has another element type or shape.
            RemoteError: a remote tensor of a device that the model does not run on, or one that was released.
            DeviceLost: the device of a remote tensor was lost.
        """
        self._lifecycle.check_idle("set_tensor")
        self._set(self._tensors.find(key), tensor)

    def set_input_tensor(self, index: int, tensor: Tensor | Array) -> None:
        """``set_tensor`` for an input by index."""
        self._lifecycle.check_idle("set_input_tensor")
        self._set(self._tensors.input(index), tensor)

    def set_output_tensor(self, index: int, tensor: Tensor | Array) -> None:
        """``set_tensor`` for an output by index."""
        self._lifecycle.check_idle("set_output_tensor")
        self._set(self._tensors.output(index), tensor)

    def own_outputs(self) -> None:
        """Outputs are not written to the tensors that were set for them any more, which are let go.

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
        """Lets an input be joined from tensors, one for each item of a batch, from the next run on.

        Args:
            key: a name or a port of an input.
            tensors: as many as the input has items, each with one item. They are read when the run begins.
            batch_axis: the dimension that counts the items.

        Raises:
            RequestBusy: a run is under way.
            InputError: another number of tensors, or one of another element type or shape.
        """
        self._lifecycle.check_idle("set_tensors")
        self._tensors.join(key, tensors, batch_axis)
