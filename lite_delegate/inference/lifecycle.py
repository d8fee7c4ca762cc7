"""Lifecycle: what a request is doing, how its last run ended, and who may change either."""

from __future__ import annotations

from enum import StrEnum
from threading import RLock

from ..delegate import CancelToken
from ..delegate.cancel import cancelled
from ..errors import RequestBusy, RequestCancelled
from ..forking import free, free_in_children


class RequestStatus(StrEnum):
    """What a request is doing.

    1. IDLE: nothing.
    2. QUEUED: a run was started that no worker has taken yet.
    3. RUNNING: a run is under way.
    """

    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"


class Outcome(StrEnum):
    """How the last run of a request ended; the outputs are those of the last run that was DONE."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


_IDLE, _RUNNING, _DONE = RequestStatus.IDLE, RequestStatus.RUNNING, Outcome.DONE
"""Each look-up in an enumeration takes longer than all else that a change of state does."""


class Lifecycle:
    """The states of a request: IDLE, QUEUED, RUNNING, and IDLE again with an outcome. Safe for several threads.

    What is read is read without locking. An interrupt may come at any point: a run that ``run_under_way`` names must
    be ended in the ``finally`` of whoever began it.

    Attributes:
        status: what the request is doing.
        outcome: how the last run ended; None before the end of the first.
        error: what the last run raised; None where it was done.
        token: of the run under way, or of the last one: what asks it to end.
        is_committing: whether it is past the point up to which it can be cancelled.
        run_under_way: whatever stands for it; None while the request is IDLE.
    """

    def __init__(self) -> None:
        self.status = RequestStatus.IDLE
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.token = CancelToken()
        self.run_under_way: object = None
        self.is_committing = False
        self._lock = RLock()  # the garbage collector may cancel a run, at any point of any thread
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the run that may be under way in the parent is not here."""
        free(self._lock)
        self.status, self.run_under_way = RequestStatus.IDLE, None

    def check_idle(self, call: str) -> None:
        """Raises RequestBusy while a run is under way.

        Args:
            call: what was asked for, for the message.
        """
        if self.status is not _IDLE:
            raise RequestBusy(
                f"{call}: the request is busy with another prediction: make one request for each thread "
                "(CompiledModel.create_infer_request), or wait for its end."
            )

    def begin(self, call: str, status: RequestStatus, run: object) -> None:
        """A run begins.

        Args:
            call: how it was asked for.
            status: what the request is doing from now on.
            run: stands for it.

        Raises:
            RequestBusy: another one is under way.
        """
        with self._lock:
            if self.status is not _IDLE:
                self.check_idle(call)
            self.token, self.is_committing = CancelToken(), False
            self.run_under_way, self.status = run, status

    def proceed(self) -> None:
        """The run goes on in the thread that computes it; raises RequestCancelled if it was cancelled before."""
        with self._lock:
            self.check_cancelled()
            self.status = _RUNNING

    def commit(self) -> None:
        """From now on nobody can cancel the run any more; raises RequestCancelled if somebody has."""
        with self._lock:
            if self.token.is_cancelled:
                self.check_cancelled()
            self.is_committing = True

    def succeed(self) -> None:
        """The run has ended, and what it gave is committed. The request is IDLE."""
        with self._lock:  # who cancels sees a run that commits, or none
            self.error, self.outcome = None, _DONE
            self.status, self.run_under_way = _IDLE, None
            self.is_committing = False

    def fail(self, error: BaseException) -> BaseException:
        """The run has ended without a result. The request is IDLE.

        Returns:
            What the run is to raise: ``RequestCancelled`` where somebody was told so, else ``error``.
        """
        with self._lock:
            raised = error
            if self.token.is_cancelled and isinstance(error, Exception) and not isinstance(error, RequestCancelled):
                raised = cancelled()
                raised.__cause__ = error
            is_failure = isinstance(raised, Exception) and not isinstance(raised, RequestCancelled)
            self.error = raised if isinstance(raised, Exception) else cancelled()
            self.outcome = Outcome.FAILED if is_failure else Outcome.CANCELLED
            self.status, self.run_under_way = _IDLE, None
        return raised

    def cancel(self) -> bool:
        """Asks the run that is under way to end; True exactly if it will end as CANCELLED. It does not wait."""
        with self._lock:
            if self.status is _IDLE or self.is_committing:
                return False
            token = self.token
            token.mark()
        token.cancel()
        return True

    def check_cancelled(self) -> None:
        """Raises RequestCancelled once the run that is under way was cancelled."""
        self.token.check()
