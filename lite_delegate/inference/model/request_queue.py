"""RequestQueue: several requests of one model, each started as soon as it is idle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import count
from queue import SimpleQueue
from threading import Condition, Lock, get_ident
from types import TracebackType
from typing import Any, NoReturn, Self, SupportsIndex

from ...basics.counted import counted
from ...basics.failures import said
from ...basics.forking import stays_here
from ...basics.words.one_line import OneLine
from ...errors import CallbackError, InputError, RequestBusy, RequestError, RequestErrors
from ..profiling.stages import StageClock
from ..requests.infer_request import InferRequest
from ..requests.request_arguments import check_callbacks, check_time
from ..tensors.given_inputs import Inputs
from ..tensors.results import Results
from .compiled_model import CompiledModel


class RequestQueue(OneLine):
    """Several requests of one model. ``start_async`` takes an idle request, and waits for one where all are busy.

    The queue is a context manager: its exit waits for all runs, and an exit by an exception cancels them. Runs are
    numbered from 0. An error of a run or of a callback does not stop the queue: ``wait_all`` raises all errors.

    Args:
        model: the compiled model of the requests.
        jobs: the number of requests; 0: as many as keep the model's devices busy.

    Raises:
        TypeError: model is no compiled model, or jobs no int.
        InputError: jobs is negative.
        ModelClosed: the model has been closed.
    """

    def __init__(self, model: CompiledModel, jobs: int = 0) -> None:
        if not isinstance(model, CompiledModel):
            raise TypeError(f"model must be CompiledModel, but got {type(model).__name__}.")
        if isinstance(jobs, bool) or not isinstance(jobs, int):
            raise TypeError(f"jobs must be int, but got {type(jobs).__name__}.")
        if jobs < 0:
            raise InputError(f"jobs must be 0 (the optimal number) or more, got {jobs}.")
        self._started: deque[StageClock] = deque()  # runs, in order, that simulated devices may not have ended
        self._starting = Lock()
        self._requests = tuple(model.create_infer_request() for _ in range(jobs or model.optimal_requests))
        for request in self._requests:
            request.join_queue(self._started.append)
            request.set_callback(self._done, on_error=self._failed)
        self._idle = deque(range(len(self._requests)))
        self._changed = Condition()
        self._numbers = count()
        self._errors: list[Exception] = []
        self._callback: Callable[..., object] | None = None
        self._on_error: Callable[..., object] | None = None
        self._calling_back: set[int] = set()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: requests belong to their process."""
        stays_here(self, "pickle the CompiledModel, and make a queue in the other process")

    def __len__(self) -> int:
        """The number of requests."""
        return len(self._requests)

    def __getitem__(self, index: int) -> InferRequest:
        """A request by index; raises IndexError beyond the last request."""
        return self._requests[index]

    def __iter__(self) -> Iterator[InferRequest]:
        """The requests."""
        return iter(self._requests)

    def set_callback(
        self,
        callback: Callable[[InferRequest, Any], object] | None,
        *,
        on_error: Callable[[InferRequest, Any, Exception], object] | None = None,
    ) -> None:
        """Sets the functions that a worker calls at the end of runs; exactly one function for each run.

        Args:
            callback: called with the request and the user's data after a successful run; None: no call.
            on_error: called with the request, the user's data and the error after a failed or cancelled run.

        Raises:
            TypeError: a function is not callable.
        """
        check_callbacks(callback, on_error)
        self._callback, self._on_error = callback, on_error

    def start_async(
        self,
        inputs: Inputs = None,
        userdata: Any = None,
        *,
        share_inputs: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Waits for an idle request, and starts a run with it.

        Args:
            inputs: as ``InferRequest.start_async`` takes them.
            userdata: for the callback; the error of a failed run names it.
            share_inputs: as ``InferRequest.infer`` takes it.
            timeout: seconds to wait for a request at most; None: without limit.

        Raises:
            TypeError, InputError, ModelClosed: as ``InferRequest.start_async``, or timeout is no number, or negative;
                no run was started.
            RequestBusy: all requests were busy until the timeout.
            RequestError: called from a callback of this queue while all requests are busy.
        """
        check_time("start_async", "timeout", timeout)
        job = _Job(next(self._numbers), userdata)
        self._start(inputs, job, timeout)

    def is_ready(self) -> bool:
        """Whether a request is idle."""
        return bool(self._idle)

    def get_idle_request_id(self) -> int:
        """Waits for an idle request, and gives its number; ``start_async`` takes this request next.

        Raises:
            RequestError: called from a callback of this queue while all requests are busy.
        """
        with self._changed:
            self._wait_for_idle(None)
            return self._idle[0]

    def wait_all(self) -> None:
        """Waits for the end of all runs, their callbacks included.

        Raises:
            RequestErrors: runs or callbacks failed since the last call; a note on each error names the run.
            RequestError: called from a callback of this queue.
        """
        if get_ident() in self._calling_back:
            raise RequestError("wait_all: a queue cannot be waited for in a callback of its own.")
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._requests))
            errors, self._errors = self._errors, []
        self._settle()
        if errors:
            raise RequestErrors(_text(errors, "in runs of the queue or in their callbacks"), errors)

    def cancel_all(self) -> None:
        """Asks all runs under way to end, and does not wait."""
        for request in self._requests:
            request.cancel()

    def map(self, inputs: Iterable[Inputs], *, ahead: int | None = None) -> Generator[Results, None, None]:
        """The results for inputs, in order. The iterator reads inputs on demand. No callback is called.

        Args:
            inputs: each as ``InferRequest.start_async`` takes them.
            ahead: the maximum number of inputs without a result yet; None: twice the number of requests.

        Returns:
            An iterator, which raises the error of a run or of its inputs in place of the result, with a note that names
            the run. A closed iterator cancels the runs under way.

        Raises:
            InputError: ahead is below 1.
        """
        if ahead is not None and ahead < 1:
            raise InputError(f"ahead must be 1 or more, got {ahead}.")
        return self._mapped(inputs, 2 * len(self) if ahead is None else ahead)

    def as_completed(self, inputs: Iterable[Inputs]) -> Generator[tuple[int, Results], None, None]:
        """The results for inputs in the order of their ends, each with the input's position. No callback is called.

        The iterator reads as many inputs ahead as the queue has requests.

        Args:
            inputs: each as ``InferRequest.start_async`` takes them.

        Returns:
            An iterator, which raises ``RequestErrors`` behind the last result if runs failed or inputs were wrong; a
            note on each error names the run. A closed iterator cancels the runs under way.
        """
        over: SimpleQueue[_Job] = SimpleQueue()
        under_way: set[_Job] = set()
        errors: list[Exception] = []

        def next_ones() -> Iterator[tuple[int, Results]]:
            job = over.get()
            under_way.discard(job)
            if job.error is not None:
                errors.append(job.error)
            elif job.results is not None:
                yield job.userdata, job.results

        try:
            for position, given in enumerate(inputs):
                job = _Job(next(self._numbers), position, over)
                under_way.add(job)
                self._start_or_fail(given, job)
                if len(under_way) == len(self):
                    yield from next_ones()
            while under_way:
                yield from next_ones()
        finally:
            self._cancel(under_way)
        if errors:
            raise RequestErrors(_text(errors, "in place of results"), errors)

    def __enter__(self) -> Self:
        """The queue."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Waits for all runs; after an exception cancels the runs first, and raises no error of a run."""
        if kind is None:
            self.wait_all()
            return
        self.cancel_all()
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._requests))
            self._errors = []
        self._settle()

    def _mapped(self, inputs: Iterable[Inputs], ahead: int) -> Generator[Results, None, None]:
        under_way: deque[_Job] = deque()
        try:
            for position, given in enumerate(inputs):
                job = _Job(next(self._numbers), position, SimpleQueue())
                under_way.append(job)
                self._start_or_fail(given, job)
                del given
                if len(under_way) == ahead:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            self._cancel(under_way)

    def _start_or_fail(self, inputs: Inputs, job: _Job) -> None:
        """Starts a run whose result the caller waits for; an error of its inputs becomes the error of the run."""
        try:
            self._start(inputs, job, None)
        except (TypeError, InputError) as e:
            e.add_note(job.named)
            job.error = e  # ``_give_back`` has told the waiting caller of the end already

    def _start(self, inputs: Inputs, job: _Job, timeout: float | None) -> None:
        with self._changed:
            self._wait_for_idle(timeout)
            job.request = self._idle.popleft()
        try:
            with self._starting:
                self._next_on_devices()
                self._requests[job.request].start_async(inputs, job)
                job.clock = self._started[-1]
        except BaseException:
            self._give_back(job)
            raise

    def _next_on_devices(self) -> None:
        """On simulated devices a run follows the request that was started first, not the first to end on the host."""
        if len(self._started) == len(self):
            self._started.popleft().pass_by()

    def _settle(self) -> None:
        """Tells the clocks of all runs that the caller knows of their ends."""
        for clock in list(self._started):
            clock.settle()

    def _wait_for_idle(self, timeout: float | None) -> None:
        """Waits for an idle request; the caller holds the lock."""
        if not self._idle and get_ident() in self._calling_back:
            raise RequestError("All requests of the queue are busy, and its own callback cannot wait for them.")
        if not self._changed.wait_for(lambda: self._idle, timeout):
            raise RequestBusy(
                f"All {counted(len(self), 'request')} of the queue were busy for {timeout} s; make it "
                "larger or wait longer."
            )

    def _done(self, job: _Job) -> None:
        """Takes the results, or calls the callback, at the end of a run, in its worker."""
        request = self._requests[job.request]
        if job.over is not None:
            try:
                job.results = request.results
            except Exception as e:  # the user has started the request meanwhile
                job.error = e
            self._give_back(job)
            return
        self._call(job, self._callback, request, job.userdata)
        self._give_back(job)

    def _failed(self, job: _Job, error: Exception) -> None:
        error.add_note(job.named)
        if job.over is not None:
            job.error = error
            self._give_back(job)
            return
        self._errors.append(error)
        self._call(job, self._on_error, self._requests[job.request], job.userdata, error)
        self._give_back(job)

    def _call(self, job: _Job, function: Callable[..., object] | None, *arguments: Any) -> None:
        if function is None:
            return
        self._calling_back.add(get_ident())
        try:
            function(*arguments)
        except BaseException as e:  # ends neither the worker nor the process
            error = CallbackError(f"The callback of {job.named} raised {said(e)}.")
            error.__cause__ = e
            self._errors.append(error)
        finally:
            self._calling_back.discard(get_ident())

    def _give_back(self, job: _Job) -> None:
        with self._changed:
            self._idle.append(job.request)
            job.is_over = True
            self._changed.notify_all()
        if job.over is not None:
            job.over.put(job)

    def _cancel(self, jobs: Iterable[_Job]) -> None:
        with self._changed:
            for request in [job.request for job in jobs if not job.is_over]:
                self._requests[request].cancel()

    def _line(self) -> str:
        return f"{len(self._idle)} of {counted(len(self._requests), 'request')} idle"


AsyncInferQueue = RequestQueue
"""The name of ``RequestQueue`` in OpenVINO."""


def _text(errors: Sequence[Exception], where: str) -> str:
    """The number of errors and the first error, as text."""
    first, count = errors[0], counted(len(errors), "error")
    notes = "".join(f" [{note}]" for note in getattr(first, "__notes__", ()))
    return f"{count} {where}; the first: {said(first)}{notes}"


class _Job:
    """A run of a queue.

    Args:
        number: of the run in its queue.
        userdata: of the user; the input's position in ``map`` and ``as_completed``.
        over: gets the job at the end of the run; None: the queue calls its callbacks instead.
    """

    __slots__ = ("clock", "error", "is_over", "number", "over", "request", "results", "userdata")

    def __init__(self, number: int, userdata: Any, over: SimpleQueue[_Job] | None = None) -> None:
        self.number = number
        self.userdata = userdata
        self.over = over
        self.request = -1
        self.clock: StageClock | None = None
        self.is_over = False
        self.results: Results | None = None
        self.error: Exception | None = None

    @property
    def named(self) -> str:
        """The name of the run in messages."""
        return f"job {self.number} of the queue (userdata {self.userdata!r})"

    def result(self) -> Results:
        """Waits for the end of the run; gives its results or raises its error."""
        assert self.over is not None
        self.over.get()
        if self.clock is not None:
            self.clock.settle()
        if self.error is not None:
            raise self.error
        assert self.results is not None
        return self.results
