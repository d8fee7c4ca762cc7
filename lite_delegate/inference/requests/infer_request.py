"""InferRequest: a request with synchronous and asynchronous runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from threading import get_ident
from time import monotonic, perf_counter_ns
from typing import Any

from lite_delegate_kernels import Array

from ...basics.failures import said
from ...delegate.calls.cancel import cancelled
from ...errors import CallbackError, InputError, RequestError
from ..executor.completion import Completion
from ..executor.executor import Executor
from ..executor.finalizer import cancel_when_gone
from ..executor.queued_run import QueuedRun
from ..planned.signatures import SignatureRunner
from ..profiling.stages import Stage, StageClock, Stretch
from ..running.runner import Runner
from ..tensors.given_inputs import Inputs
from ..tensors.port import Port
from ..tensors.remote_ports import RemoteInput
from ..tensors.results import Results
from .job import Job
from .lifecycle import RequestStatus
from .request import SyncRequest
from .request_arguments import check_callbacks, seconds_of
from .signature_requests import SignatureRequests

_log = logging.getLogger("lite_delegate")
_PREPROCESS, _QUEUE = Stage.PREPROCESS, Stage.QUEUE
_QUEUED, _RUNNING = RequestStatus.QUEUED, RequestStatus.RUNNING


class InferRequest(SyncRequest):
    """A request of a compiled model: tensors, states, and the outcome of the last run.

    ``CompiledModel.create_infer_request`` makes it. A request has one run at a time: each thread that predicts needs
    its own request. A request can be reused after any outcome. It keeps the plan and the graph kernels, so it may
    outlive the compiled model.

    Outputs change at one point of a run, its commit, which cannot fail: after a failed or cancelled run the tensors
    hold the outputs of the last successful run, and ``results`` raises the error.

    Tensors that were set, or that ``get_tensor`` gave and the user filled, feed every run. Inputs of ``infer`` or
    ``start_async`` feed one run only and are not kept.

    Workers of the compiled model compute asynchronous runs, with the context variables of the caller. A run is
    cancelled when its request is garbage-collected.

    Args:
        runner: of the model.
        inputs: of the model.
        outputs: of the model.
        executor: the workers of the model.
    """

    def __init__(self, runner: Runner, inputs: Sequence[Port], outputs: Sequence[Port], executor: Executor) -> None:
        super().__init__(runner, inputs, outputs)
        self._executor = executor
        self._latest: tuple[Job | None, Completion | None] = None, None
        self._callbacks: tuple[Callable[..., object] | None, Callable[..., object] | None] = None, None
        self._userdata: Any = None
        self._calling_back: set[int] = set()
        self._queued: QueuedRun | None = None
        self._ends_when_gone = False
        self.signatures: SignatureRequests | None = None

    def signature(self, key: str | None = None) -> SignatureRunner:
        """The model, or another part of its file, as a function of inputs by the names of a signature.

        Its runs belong to the request: one run at a time is under way, and the parts of the file share their variables.

        Args:
            key: the signature's name; None: the signature of the plain call.

        Raises:
            InputError: there is no such signature, or the signature can only be compiled from the file.
            Exception: compiling the part of the file, or making its request, failed.
        """
        if self.signatures is None:
            raise InputError(f"The model has no signature '{key or ''}'; it has none.")
        return self.signatures.runner(self, key)

    def reset_state(self) -> None:
        """As ``SyncRequest.reset_state``, and for the states of other signatures."""
        super().reset_state()
        if self.signatures is not None:
            self.signatures.reset()

    def start_async(self, inputs: Inputs = None, userdata: Any = None, *, share_inputs: bool = False) -> None:
        """Starts a run and returns; a worker computes the run, and calls the function of ``set_callback`` at the end.

        Args:
            inputs: as ``infer`` takes them. A worker reads the inputs later, so leave their memory unchanged.
            userdata: for the callback of the run; None: the data of ``set_callback``.
            share_inputs: as ``infer`` takes it.

        Raises:
            TypeError, InputError, RequestBusy, ModelClosed: as ``infer``; no run was started.
            RequestError: the request was made in another process.
        """
        then: Then = _uncalled
        if self._callbacks != (None, None):
            then = partial(InferRequest._called_back, userdata=self._userdata if userdata is None else userdata)
        self._start("start_async", inputs, then)

    async def infer_async(self, inputs: Inputs = None) -> Results:
        """Runs the model once while the event loop goes on. The callback is not called.

        The cancellation of a task cancels its run, and the task goes on when the run has ended.

        Args:
            inputs: as ``start_async`` takes them.

        Returns:
            The outputs, as new arrays of the caller.

        Raises:
            Exception: as ``infer`` and ``start_async``; ``RequestCancelled`` for a cancelled run.
        """
        from ..executor.event_loop import run_over  # asyncio is loaded only for asynchronous calls

        completion = self._start("infer_async", inputs, None)
        await run_over(completion, self.cancel)
        self._settle()
        completion.check()
        return Results(self._outputs, completion.take())

    def wait(self) -> None:
        """Waits for the end of the latest run and its callback, and for the runs that the callback starts.

        The call returns at once before the first run. The error of a failed or cancelled run is raised by each call
        until the next run begins.

        Raises:
            LiteDelegateError: the run failed; RequestCancelled: the run was cancelled.
            CallbackError: the callback raised an error; the run itself succeeded.
            RequestError: called from the request's own callback; or the request was made in another process.
        """
        self._wait("wait", None)

    def wait_for(self, milliseconds: float | None) -> bool:
        """As ``wait``, with a time limit; 0 does not wait, None waits without limit.

        Returns:
            Whether the run is over; False before the first run.

        Raises:
            TypeError: milliseconds is no number.
            InputError: milliseconds is negative or not finite.
            Exception: as ``wait``.
        """
        return self._wait("wait_for", seconds_of("wait_for", milliseconds))

    def set_callback(
        self,
        callback: Callable[[Any], object] | None,
        userdata: Any = None,
        *,
        on_error: Callable[[Any, Exception], object] | None = None,
    ) -> None:
        """Sets the functions that a worker calls at the end of asynchronous runs, before ``wait`` returns.

        Exactly one function is called for each run. The request is idle during the call: the function can read the
        results and start the next run. ``wait`` raises a ``CallbackError`` for an error of the function.

        Args:
            callback: called with the user's data after a successful run; None: no call.
            userdata: for the functions, unless ``start_async`` gets data of its own.
            on_error: called with the user's data and the error after a failed or cancelled run. Without this function,
                an error that ``wait`` never raised is logged.

        Raises:
            TypeError: a function is not callable.
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("set_callback")
        check_callbacks(callback, on_error)
        self._callbacks, self._userdata = (callback, on_error), userdata

    def cancel(self) -> bool:
        """Asks the run under way to end, and does not wait; True exactly if its outcome will be CANCELLED.

        A queued run ends at once. A running run checks for cancellation before each kernel, each instruction of the
        simulated NPU and each chunk of a transfer, while it waits for the device, and where a graph kernel calls
        ``cancel_point``. The next run is not affected.
        """
        queued = self._queued
        if not self._lifecycle.cancel():
            return False
        if queued is not None and queued.claim():
            if self._callbacks[1] is None:
                queued.drop()
            else:  # the callback may take long, so another thread calls it
                self._executor.aside(queued.drop)
        return True

    def _let_go(self, job: Job) -> None:
        if self._lifecycle.run_under_way is job:
            super()._let_go(job)
        if self._completions:  # a thread waits
            completion = self._completions.pop(job, None)
            if completion is not None:
                completion.finish(self._lifecycle.error, is_known=True)

    def _start(self, call: str, inputs: Inputs, then: Then | None) -> Completion:
        """Begins a run and hands the run to a worker.

        Args:
            call: the name of the method, for messages.
            inputs: of the run.
            then: called at the end of the run, before waiting threads wake up; None: the outputs stay with the
                completion.
        """
        if self._lifecycle.is_inherited:
            raise self._elsewhere(call)
        job = Job(_PREPROCESS)
        job.status, job.gives_results = _QUEUED, then is None
        try:
            self._begin(job, call, inputs)
            completion = self._completed_by(job)
            if self._executor.overlaps and (job.plain is not None or not self._is_remote(job)):
                job.reservation = reservation = self._runner.reserve(job.simulated_us)
                job.is_simulated = job.is_simulated or reservation is not None
            if self._queue is not None:
                self._queue(job)
            job.go_on(_QUEUE)
            end = partial(InferRequest._end_async, self._for_worker(), job, then)
            self._queued = queued = QueuedRun(end, self._lifecycle.cancel)
            self._executor.submit(queued)
        except BaseException:
            self._let_go(job)
            self._leave()
            raise
        return completion

    def _is_remote(self, job: Job) -> bool:
        """Whether a run reads or writes tensors on a device; their transfers are known only during the run."""
        return bool(self._tensors.remote) or any(isinstance(given, RemoteInput) for given in job.inputs)

    def _settle(self) -> None:
        """Tells the clock of the latest run that the caller knows of its end."""
        last = self._last
        if last is not None and last.is_simulated:
            last.settle()

    def join_queue(self, started: Callable[[StageClock], object]) -> None:
        """Makes the request part of a queue, which decides when its runs are over on simulated devices.

        Args:
            started: gets the clock of each run at its start.
        """
        self._queue = started

    def _completed_by(self, job: Job) -> Completion:
        """The completion of an asynchronous run."""
        completion = self._completions.setdefault(job, Completion())
        if self._calling_back and get_ident() in self._calling_back:
            self._follow(completion)
        self._latest = job, completion
        return completion

    def _follow(self, completion: Completion) -> None:
        """Makes a run that the callback starts a part of the run whose end is called back."""
        before = self._latest[1]
        if before is not None:
            before.follower = completion

    def _awaited(self) -> Completion | None:
        """The completion of a latest run that is synchronous, made on demand; None before the first run."""
        lifecycle = self._lifecycle
        job = lifecycle.run_under_way
        if isinstance(job, Job):
            completion = self._completions.setdefault(job, Completion())
            if lifecycle.run_under_way is job:  # the run is not over, so its end will finish the completion
                return completion
            self._completions.pop(job, None)
        if lifecycle.outcome is None:
            return None
        completion = Completion()
        completion.finish(lifecycle.error, is_known=True)
        return completion

    def _for_worker(self) -> InferRequest:
        """A twin of the request for the worker, so that the user's object can be collected, which cancels the run."""
        if not self._ends_when_gone:
            self._ends_when_gone = True
            cancel_when_gone(self, self._lifecycle.cancel)
        worker = object.__new__(InferRequest)
        worker.__dict__ = self.__dict__
        return worker

    def _end_async(self, job: Job, then: Then | None, is_computed: bool) -> None:
        """Ends an asynchronous run: a worker computes the run first, or a cancelled run is dropped uncomputed."""
        made: list[Array] = []
        error: Exception | None = None
        if not is_computed:
            raised = self._fail(job, cancelled())
            assert isinstance(raised, Exception)
            self._end(job, then, made, raised)
            return
        job.go_on(_PREPROCESS)
        job.status = _RUNNING
        try:
            made = self._run_once(job)
        except Exception as e:
            error = e
        except BaseException:  # ends neither the worker nor the process
            error = self._lifecycle.error
        self._end(job, then, made, error)

    def _end(self, job: Job, then: Then | None, made: list[Array], error: Exception | None) -> None:
        """Calls the callback at the end of a run, and then wakes the waiting threads."""
        self._leave()
        completion, is_known = self._completions.pop(job), True
        if then is None:
            completion.made = made
        else:
            error, is_known = then(self, job, error)
        completion.finish(error, is_known=is_known)

    def _called_back(self, job: Job, error: Exception | None, userdata: Any) -> tuple[Exception | None, bool]:
        """Calls the callback; gives the error for waiting threads, and whether the user was told of the error."""
        callback, on_error = self._callbacks
        if error is None:
            return self._calling(job, callback, userdata), False
        raised = self._calling(job, on_error, userdata, error)
        if raised is not None:
            _log.warning("%s %r", raised, raised.__cause__)
        return error, on_error is not None

    def _calling(self, job: Job, function: Callable[..., object] | None, *arguments: Any) -> CallbackError | None:
        """Calls a function of the user; gives a CallbackError if the function raised an error."""
        if function is None:
            return None
        self._calling_back.add(get_ident())
        begin_ns = perf_counter_ns()
        try:
            function(*arguments)
        except BaseException as e:
            error = CallbackError(f"The callback of request {self.number} raised {said(e)}.")
            error.__cause__ = e
            return error
        finally:
            job.callback = Stretch(Stage.CALLBACK, begin_ns, perf_counter_ns())
            self._calling_back.discard(get_ident())
        return None

    def _wait(self, call: str, seconds: float | None) -> bool:
        lifecycle = self._lifecycle
        if lifecycle.is_inherited:
            raise self._elsewhere(call)
        if self._calling_back and get_ident() in self._calling_back:
            raise RequestError(f"{call}: request {self.number} cannot be waited for in its own callback.")
        end = None if seconds is None else monotonic() + seconds
        latest, completion = self._latest
        if latest is not lifecycle.latest:
            completion = self._awaited()
        while completion is not None:
            if not completion.wait(None if end is None else max(end - monotonic(), 0)):
                return False
            self._settle()
            follower = completion.follower
            if follower is None or isinstance(completion.error, CallbackError):
                completion.check()
                return True
            completion = follower
        return False

    def _elsewhere(self, call: str) -> RequestError:
        return RequestError(
            f"{call}: request {self.number} was made in another process, whose workers are not in this one; "
            "make one here (CompiledModel.create_infer_request)."
        )


Then = Callable[[InferRequest, Job, Exception | None], tuple[Exception | None, bool]]
"""Called at the end of a run; gives the error for waiting threads, and whether the user was told of it."""


def _uncalled(request: InferRequest, job: Job, error: Exception | None) -> tuple[Exception | None, bool]:
    """The end of a run without callbacks."""
    del request, job
    return error, False
