"""InferRequest: a request whose runs may also go on while its user does something else."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from threading import get_ident
from time import monotonic, perf_counter_ns
from typing import Any

from lite_delegate_kernels import Array

from ...basics.failures import said
from ...delegate.calls.cancel import cancelled
from ...errors import CallbackError, InputError, RequestError
from ...runtime.lifetimes.lease import UnderWay
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


class InferRequest(SyncRequest):
    """A place in which a compiled model runs: tensors, and how the last run went.

    ``CompiledModel.create_infer_request`` makes it. One run at a time: threads that predict at once need a request
    each. It may be used again after any outcome, and keeps what the compiled model holds, so it may outlive it.

    Outputs change at one point of a run, its commit, which cannot fail: after a run that failed or was cancelled the
    tensors hold what the last one gave that was done, and ``results`` raises the run's error.

    Tensors that are set, or that ``get_tensor`` gave and that were filled, feed every run. Inputs that are given to
    ``infer`` or ``start_async`` feed that run only, and nothing of them is kept.

    Asynchronous runs are computed by workers of the compiled model, with the context variables of whoever started
    them. Letting a request go while one is under way cancels it.

    Args:
        runner: what runs.
        inputs: the model's.
        outputs: the model's.
        executor: the model's workers.
    """

    def __init__(self, runner: Runner, inputs: Sequence[Port], outputs: Sequence[Port], executor: Executor) -> None:
        super().__init__(runner, inputs, outputs)
        self._executor = executor
        self._process = os.getpid()
        self._latest: tuple[Job | None, Completion | None] = None, None
        self._callbacks: tuple[Callable[..., object] | None, Callable[..., object] | None] = None, None
        self._userdata: Any = None
        self._calling_back: set[int] = set()
        self._queued: QueuedRun | None = None
        self._ends_when_gone = False
        self.signatures: SignatureRequests | None = None

    def signature(self, key: str | None = None) -> SignatureRunner:
        """The model, or another part of its file, as a function of inputs by the names of a signature.

        Its runs are this request's: variables that the parts of the file share hold what any of them assigned last,
        and one run at a time is under way.

        Args:
            key: the signature's name; None: the one that the plain call is.

        Raises:
            InputError: there is no such signature, or it can only be compiled from the file.
            Exception: what compiling that part of the file, and making a request for it, raises.
        """
        if self.signatures is None:
            raise InputError(f"The model has no signature '{key or ''}'; it has none.")
        return self.signatures.runner(self, key)

    def reset_state(self) -> None:
        """As ``SyncRequest.reset_state``; so do the states of other signatures."""
        super().reset_state()
        if self.signatures is not None:
            self.signatures.reset()

    def start_async(self, inputs: Inputs = None, userdata: Any = None, *, share_inputs: bool = False) -> None:
        """Starts a run and returns; a worker computes it. At its end ``set_callback``'s function is called.

        Args:
            inputs: as ``infer`` takes them. They are read when a worker takes the run, so leave them as they are.
            userdata: what this run's callback gets; None: what ``set_callback`` was given.
            share_inputs: as ``infer`` takes it.

        Raises:
            TypeError, InputError, RequestBusy, ModelClosed: as ``infer``; nothing was started.
            RequestError: the request was made in another process.
        """
        data = self._userdata if userdata is None else userdata
        self._start("start_async", inputs, partial(InferRequest._called_back, userdata=data))

    async def infer_async(self, inputs: Inputs = None) -> Results:
        """Runs the model once, while the event loop goes on. The callback is not called.

        A task that is cancelled cancels the run, and goes on when that has ended.

        Args:
            inputs: as ``start_async`` takes them.

        Returns:
            The outputs: new arrays, which are the caller's.

        Raises:
            Exception: what ``infer`` and ``start_async`` raise, ``RequestCancelled`` where somebody else cancelled it.
        """
        from ..executor.event_loop import run_over  # asyncio is loaded where it is needed

        completion = self._start("infer_async", inputs, None)
        await run_over(completion, self.cancel)
        self._settle()
        completion.check()
        return Results(self._outputs, completion.take())

    def wait(self) -> None:
        """Waits for the end of the run that was started last, its callback included; and of those that callback starts.

        It returns at once where none was started. A run that was not done raises its error each time, until the next
        one begins.

        Raises:
            LiteDelegateError: what the run raised; RequestCancelled where it was cancelled.
            CallbackError: the callback raised something; the run itself was done.
            RequestError: called from the request's own callback; or the request was made in another process.
        """
        self._wait("wait", None)

    def wait_for(self, milliseconds: float | None) -> bool:
        """``wait`` for so long at most; 0 waits for nothing, None without limit.

        Returns:
            Whether the run is over; False where none was started.

        Raises:
            TypeError: milliseconds is no number.
            InputError: milliseconds is negative or not finite.
            Exception: what ``wait`` raises.
        """
        return self._wait("wait_for", seconds_of("wait_for", milliseconds))

    def set_callback(
        self,
        callback: Callable[[Any], object] | None,
        userdata: Any = None,
        *,
        on_error: Callable[[Any, Exception], object] | None = None,
    ) -> None:
        """Lets functions be called at the end of asynchronous runs, in a worker's thread, before ``wait`` returns.

        Exactly one of the two is called for each run. The request is idle then: its results can be read and its next
        run started. What a function raises, ``wait`` raises as the cause of a ``CallbackError``.

        Args:
            callback: called with the user's data when a run was done; None: nothing is.
            userdata: what they get where ``start_async`` is given nothing.
            on_error: called with the user's data and the error when a run failed or was cancelled. Without it, an
                error that ``wait`` never raised is logged.

        Raises:
            TypeError: one of them cannot be called.
            RequestBusy: a run is under way.
        """
        self._lifecycle.check_idle("set_callback")
        check_callbacks(callback, on_error)
        self._callbacks, self._userdata = (callback, on_error), userdata

    def cancel(self) -> bool:
        """Asks the run that is under way to end, without waiting; True exactly if its outcome will be CANCELLED.

        A run that no worker has taken ends at once, any other where it looks next: before each kernel, instruction
        of the simulated NPU and chunk of a transfer, while it waits for the device, and where a graph kernel calls
        ``cancel_point``. The next run is not affected.
        """
        queued = self._queued
        if not self._lifecycle.cancel():
            return False
        if queued is not None and queued.claim():
            if self._callbacks[1] is None:
                queued.drop()
            else:  # what is called may take its time, and this thread's
                self._executor.aside(queued.drop)
        return True

    def _let_go(self, job: Job) -> None:
        if self._lifecycle.run_under_way is job:
            super()._let_go(job)
        if self._completions:  # somebody waits
            completion = self._completions.pop(job, None)
            if completion is not None:
                completion.finish(self._lifecycle.error, is_known=True)

    def _start(self, call: str, inputs: Inputs, then: Then | None) -> Completion:
        """Begins a run and hands it to a worker.

        Args:
            call: how it was asked for.
            inputs: of the run.
            then: done at its end, before all who wait; None: its result stays with the completion.
        """
        self._check_process(call)
        job, lease = Job(Stage.PREPROCESS), self._runner.lease
        begun = [lease.enter()]  # in nothing but this list, which whoever ends the run empties
        try:
            job.status = RequestStatus.QUEUED
            self._begin(job, call, inputs)
            completion = self._completed_by(job)
            if self._executor.overlaps and not self._is_remote(job):
                job.clock.reservation = self._runner.reserve(job.clock.simulated_us)
            if self._queue is not None:
                self._queue(job.clock)
            job.clock.mark(Stage.QUEUE)
            end = partial(InferRequest._end_async, self._for_worker(), job, begun, then)
            self._queued = QueuedRun(end, self._lifecycle.cancel)
            self._executor.submit(self._queued)
        except BaseException:
            self._let_go(job)
            begun.clear()
            lease.leave()
            raise
        return completion

    def _is_remote(self, job: Job) -> bool:
        """Whether a run reads or writes tensors of a device: which transfers that spares is known when it runs."""
        return bool(self._tensors.remote) or any(isinstance(given, RemoteInput) for given in job.inputs)

    def _settle(self) -> None:
        """Whoever started the run that has ended last knows that it is over."""
        if self._last is not None:
            self._last.clock.settle()

    def join_queue(self, started: Callable[[StageClock], object]) -> None:
        """The request is one of a queue, which says when its runs are over on simulated devices.

        Args:
            started: is told of each run when it is started to be computed by a worker.
        """
        self._queue = started

    def _completed_by(self, job: Job) -> Completion:
        """The end of a run that was begun to be computed by a worker."""
        completion = self._completions.setdefault(job, Completion())
        before = self._latest[1]
        if before is not None and get_ident() in self._calling_back:
            before.follower = completion
        self._latest = job, completion
        return completion

    def _latest_completion(self) -> Completion | None:
        """The end of the run that was begun last; None where there was none.

        Only runs of workers have one from their beginning: most others nobody ever waits for.
        """
        lifecycle = self._lifecycle
        latest, completion = self._latest
        if latest is lifecycle.latest:
            return completion
        job = lifecycle.run_under_way
        if isinstance(job, Job):
            completion = self._completions.setdefault(job, Completion())
            if lifecycle.run_under_way is job:  # who computes it will look for who waits
                return completion
            self._completions.pop(job, None)
        if lifecycle.outcome is None:
            return None
        completion = Completion()
        completion.finish(lifecycle.error, is_known=True)
        return completion

    def _for_worker(self) -> InferRequest:
        """The same request, all of it, for who computes it: the user's object can be let go, which cancels the run."""
        if not self._ends_when_gone:
            self._ends_when_gone = True
            cancel_when_gone(self, self._lifecycle.cancel)
        worker = object.__new__(InferRequest)
        worker.__dict__ = self.__dict__
        return worker

    def _end_async(self, job: Job, begun: list[UnderWay], then: Then | None, is_computed: bool) -> None:
        """What a worker does with a run; or whoever drops one that was cancelled before a worker took it."""
        made: list[Array] = []
        error: Exception | None = None
        if not is_computed:
            raised = self._fail(job, cancelled())
            assert isinstance(raised, Exception)
            self._end(job, begun, then, made, raised)
            return
        try:
            made = self._run_once(job)
        except Exception as e:
            error = e
        except BaseException:  # ends neither the worker nor the process
            error = self._lifecycle.error
        self._end(job, begun, then, made, error)

    def _end(
        self, job: Job, begun: list[UnderWay], then: Then | None, made: list[Array], error: Exception | None
    ) -> None:
        """What comes after a run: its callback, and then those who wait."""
        begun.clear()
        self._runner.lease.leave()
        completion, is_known = self._completions.pop(job), True
        if then is None:
            completion.made = made
        else:
            error, is_known = then(self, job, error)
        completion.finish(error, is_known=is_known)

    def _called_back(self, job: Job, error: Exception | None, userdata: Any) -> tuple[Exception | None, bool]:
        """What those who wait are to raise after the callback, and whether the user was told of it."""
        callback, on_error = self._callbacks
        if error is None:
            return self._calling(job, callback, userdata), False
        raised = self._calling(job, on_error, userdata, error)
        if raised is not None:
            _log.warning("%s %r", raised, raised.__cause__)
        return error, on_error is not None

    def _calling(self, job: Job, function: Callable[..., object] | None, *arguments: Any) -> CallbackError | None:
        """Calls a function of the user; the error that stands for what it raised, if it did."""
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
        self._check_process(call)
        if get_ident() in self._calling_back:
            raise RequestError(f"{call}: request {self.number} cannot be waited for in its own callback.")
        end = None if seconds is None else monotonic() + seconds
        completion = self._latest_completion()
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

    def _check_process(self, call: str) -> None:
        if os.getpid() != self._process:
            raise RequestError(
                f"{call}: request {self.number} was made in another process, whose workers are not in this one; "
                "make one here (CompiledModel.create_infer_request)."
            )


Then = Callable[[InferRequest, Job, Exception | None], tuple[Exception | None, bool]]
"""Done at the end of a run, given the run and its error; what those who wait raise, and whether the user was told."""
