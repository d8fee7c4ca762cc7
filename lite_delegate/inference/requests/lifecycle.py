"""Lifecycle: what a request is doing, how its last run ended, and who may change either."""

from __future__ import annotations

from enum import StrEnum

from ...basics.forking import free_in_children
from ...delegate import CancelToken
from ...delegate.calls.cancel import cancelled
from ...errors import RequestBusy, RequestCancelled


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

_CANCELLED, _FAILED, _COMMITTED = Outcome.CANCELLED, Outcome.FAILED, Outcome.DONE
"""What can be decided of a run."""


class Attempt(CancelToken):
    """A run of a request, as far as its lifecycle goes; what asks it to end, too. Whoever makes one gives it a list.

    How it ends is decided once, by whoever says so first: a list takes what is appended in one step, so what is its
    first element needs no lock.

    Attributes:
        status: what the request is doing while it is under way.
        decided: what was said of its end; the first one counts.
    """

    decided: list[Outcome]
    status = _RUNNING

    def decide(self, outcome: Outcome) -> bool:
        """Whether this is how it ends: nobody has said anything else before."""
        self.decided.append(outcome)
        return self.decided[0] is outcome

    @property
    def is_committing(self) -> bool:
        """Whether it is past the point up to which it can be cancelled."""
        return bool(self.decided) and self.decided[0] is _COMMITTED


class Lifecycle:
    """The states of a request: IDLE, QUEUED, RUNNING, and IDLE again with an outcome. Safe for several threads.

    Nothing here takes a lock: the garbage collector may cancel a run, at any point of any thread. An interrupt may
    come at any point, too: a run that ``run_under_way`` gives must be ended in the ``finally`` of whoever began it.

    Attributes:
        outcome: how the last run ended; None before the end of the first.
        error: what the last run raised; None where it was done.
        latest: the run that began last; None before the first.
    """

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.latest: Attempt | None = None
        self._under_way: dict[None, Attempt] = {}  # one at most: a dictionary takes and drops a key in one step
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the run that may be under way in the parent is not here."""
        self._under_way.clear()

    def take_turns_with(self, other: Lifecycle) -> None:
        """No run begins from now on while one of the other's is under way, nor the other way round."""
        self._under_way = other._under_way

    @property
    def status(self) -> RequestStatus:
        """What the request is doing."""
        run = self._under_way.get(None)
        return _IDLE if run is None else run.status

    @property
    def run_under_way(self) -> Attempt | None:
        """The run; None while the request is IDLE."""
        return self._under_way.get(None)

    def check_idle(self, call: str) -> None:
        """Raises RequestBusy while a run is under way.

        Args:
            call: what was asked for, for the message.
        """
        if self._under_way:
            raise _busy(call)

    def begin(self, call: str, run: Attempt) -> None:
        """A run begins.

        Args:
            call: how it was asked for.
            run: new.

        Raises:
            RequestBusy: another one is under way.
        """
        if self._under_way.setdefault(None, run) is not run:
            raise _busy(call)
        self.latest = run

    def succeed(self) -> None:
        """The run has ended, and what it gave is committed. The request is IDLE."""
        self.error, self.outcome = None, _DONE
        self._under_way.pop(None, None)

    def fail(self, run: Attempt, error: BaseException) -> BaseException:
        """A run has ended without a result. The request is IDLE.

        Returns:
            What the run is to raise: ``RequestCancelled`` where somebody was told so, else ``error``.
        """
        raised = error
        is_failure = isinstance(error, Exception) and not isinstance(error, RequestCancelled)
        if is_failure and not run.decide(_FAILED):
            is_failure, raised = False, cancelled()
            raised.__cause__ = error
        run.decide(_CANCELLED)
        self.error = raised if isinstance(raised, Exception) else cancelled()
        self.outcome = _FAILED if is_failure else _CANCELLED
        self._under_way.pop(None, None)
        return raised

    def cancel(self) -> bool:
        """Asks the run that is under way to end; True exactly if it will end as CANCELLED. It does not wait."""
        run = self._under_way.get(None)
        if run is None:
            return False
        if not run.decided:
            run.mark()  # first: whoever sees that it is decided finds the time of it
        if not run.decide(_CANCELLED):
            return False
        run.cancel()
        return True


def _busy(call: str) -> RequestBusy:
    return RequestBusy(
        f"{call}: the request is busy with another prediction: make one request for each thread "
        "(CompiledModel.create_infer_request), or wait for its end."
    )
