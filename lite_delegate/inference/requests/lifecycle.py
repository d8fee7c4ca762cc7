"""Lifecycle: the status of a request, the outcome of its last run, and the rules of their changes."""

from __future__ import annotations

from enum import StrEnum

from ...basics.forking import free_in_children
from ...delegate import CancelToken
from ...delegate.calls.cancel import cancelled
from ...errors import RequestBusy, RequestCancelled


class RequestStatus(StrEnum):
    """The status of a request.

    1. IDLE: no run is under way.
    2. QUEUED: a run was started, and waits for a worker.
    3. RUNNING: a run is being computed.
    """

    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"


class Outcome(StrEnum):
    """The end of a request's last run. The outputs are from the last run that was DONE."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


_IDLE, _RUNNING, _DONE = RequestStatus.IDLE, RequestStatus.RUNNING, Outcome.DONE
"""Constants, because a look-up in an enumeration takes longer than a change of state."""

_CANCELLED, _FAILED, _COMMITTED = Outcome.CANCELLED, Outcome.FAILED, Outcome.DONE
"""The decisions on the end of a run."""


class Attempt(CancelToken):
    """A run of a request in its lifecycle, and the token of its cancellation. The maker sets the list ``decided``.

    The first decision on the end counts: ``append`` of a list is atomic, so the first element needs no lock.

    Attributes:
        status: of the request during the run.
        decided: the decisions on the end; the first decision counts.
    """

    decided: list[Outcome]
    status = _RUNNING

    def decide(self, outcome: Outcome) -> bool:
        """Decides on the end of the run; whether this decision is the first."""
        self.decided.append(outcome)
        return self.decided[0] is outcome

    @property
    def is_committing(self) -> bool:
        """Whether the run can no longer be cancelled."""
        return bool(self.decided) and self.decided[0] is _COMMITTED


class Lifecycle:
    """The status of a request: IDLE, QUEUED, RUNNING, and IDLE again with an outcome. Safe for several threads.

    No method takes a lock, because the garbage collector may cancel a run at any point of any thread. An interrupt may
    come at any point, too: the caller of ``begin`` must end its run in a ``finally`` block.

    Attributes:
        outcome: of the last run; None before the end of the first run.
        error: of the last run; None after a successful run.
        latest: the latest run; None before the first run.
        runs: the run under way, if any.
        is_inherited: whether the request was made in the parent process.
    """

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.latest: Attempt | None = None
        self.is_inherited = False
        self.runs: dict[None, Attempt] = {}  # at most one run: a dictionary adds and drops a key atomically
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: a run of the parent process is not under way in the child process."""
        self.is_inherited = True
        self.runs.clear()

    def take_turns_with(self, other: Lifecycle) -> None:
        """Shares the run under way with another lifecycle: one run at a time for both requests."""
        self.runs = other.runs

    @property
    def status(self) -> RequestStatus:
        """The status of the request."""
        run = self.runs.get(None)
        return _IDLE if run is None else run.status

    @property
    def is_under_way(self) -> bool:
        """Whether a run of this request is under way, and not one of a request that it takes turns with."""
        run = self.runs.get(None)
        return run is not None and run is self.latest

    @property
    def run_under_way(self) -> Attempt | None:
        """The run under way; None while the request is IDLE."""
        return self.runs.get(None)

    def check_idle(self, call: str) -> None:
        """Raises RequestBusy while a run is under way.

        Args:
            call: the name of the method, for the message.
        """
        if self.runs:
            raise _busy(call)

    def begin(self, call: str, run: Attempt) -> None:
        """Begins a run.

        Args:
            call: the name of the method, for the message.
            run: the new run.

        Raises:
            RequestBusy: another run is under way.
        """
        if self.runs.setdefault(None, run) is not run:
            raise _busy(call)
        self.latest = run

    def withdraw(self, run: Attempt, before: Attempt | None) -> None:
        """Takes back the begin of a run, as if it had not been called. The request is IDLE.

        Args:
            run: the run.
            before: the latest run before it.
        """
        if self.runs.get(None) is run:
            self.latest = before
            self.runs.pop(None, None)

    def succeed(self) -> None:
        """Ends the run after its commit. The request is IDLE."""
        self.error, self.outcome = None, _DONE
        self.runs.pop(None, None)

    def fail(self, run: Attempt, error: BaseException) -> BaseException:
        """Ends a run without a result. The request is IDLE.

        Returns:
            The error for the caller: ``RequestCancelled`` after an accepted cancellation, else ``error``.
        """
        raised = error
        is_failure = isinstance(error, Exception) and not isinstance(error, RequestCancelled)
        if is_failure and not run.decide(_FAILED):
            is_failure, raised = False, cancelled()
            raised.__cause__ = error
        run.decide(_CANCELLED)
        self.error = raised if isinstance(raised, Exception) else cancelled()
        self.outcome = _FAILED if is_failure else _CANCELLED
        self.runs.pop(None, None)
        return raised

    def cancel(self) -> bool:
        """Asks the run under way to end, and does not wait; True exactly if the run will end as CANCELLED."""
        run = self.runs.get(None)
        if run is None:
            return False
        if not run.decided:
            run.mark()  # before the decision, which makes the time visible
        if not run.decide(_CANCELLED):
            return False
        run.cancel()
        return True


def _busy(call: str) -> RequestBusy:
    return RequestBusy(
        f"{call}: the request is busy with another prediction: make one request for each thread "
        "(CompiledModel.create_infer_request), or wait for its end."
    )
