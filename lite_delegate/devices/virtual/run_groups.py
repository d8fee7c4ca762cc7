"""Groups: runs of several requests that are computed as one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Condition, RLock
from time import monotonic

from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...basics.unforeseen import FAILURES
from ...delegate import SpanKind, TurnCause, current_token, set_token, span
from ...inference.profiling.stages import InStage, Stage
from ...remote.under_way import forget

Alone = Callable[[Sequence[Array]], list[Array]]
"""Computes the outputs of one run, given its inputs."""


class Item:
    """A run that waits for other runs, or is in a group.

    Attributes:
        arrays: the inputs of the run.
        alone: computes the run alone.
    """

    __slots__ = ("alone", "arrays", "asked", "error", "in_group", "results")

    def __init__(self, arrays: Sequence[Array], alone: Alone) -> None:
        self.arrays = arrays
        self.alone = alone
        self.asked = monotonic()
        self.in_group = False
        self.results: list[Array] | None = None
        self.error: Exception | None = None

    @property
    def is_done(self) -> bool:
        """Whether the run has results, or an error."""
        return self.results is not None or self.error is not None


Together = Callable[[Sequence[Item]], Sequence[list[Array]]]
"""Computes the outputs of several runs."""


class Groups:
    """Groups of runs that wait for each other. Safe for several threads; the groups have no thread of their own.

    The waiting runs form a group when they fill it, or when the oldest run's time is over. The thread that forms a
    group computes the group.

    Args:
        size: the number of runs in a full group.
        timeout_ms: the milliseconds that the oldest run waits for other runs.
        together: computes a group.

    Attributes:
        timeout_ms: the milliseconds that the oldest run waits for other runs; a change counts for waiting runs, too.
        sizes: the number of groups so far, by size.
    """

    def __init__(self, size: int, timeout_ms: int, together: Together) -> None:
        self.size = size
        self.timeout_ms = timeout_ms
        self.sizes: dict[int, int] = {}
        self._together = together
        self._lock = RLock()  # taken more than once by a thread in which the garbage collector cancels a run
        self._changed = Condition(self._lock)
        self._waiting: list[Item] = []
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no run of the parent process waits in the child."""
        free(self._changed)
        self._waiting = []

    def change_timeout(self, timeout_ms: int) -> None:
        """Changes the timeout, also for waiting runs."""
        with self._lock:
            self.timeout_ms = timeout_ms
            self._changed.notify_all()

    def run(self, arrays: Sequence[Array], alone: Alone) -> list[Array]:
        """The outputs of one run.

        Args:
            arrays: the inputs of the run.
            alone: computes the run alone; called from any thread, while this thread waits.

        Raises:
            RequestCancelled: the run was cancelled while it waited; the other runs go on.
            Exception: the error of the run when it is computed alone.
        """
        item = Item(arrays, alone)
        try:
            with self._lock:
                self._waiting.append(item)
            while not item.is_done:
                self._advance(item)
        except BaseException:
            self._leave(item)
            raise
        if item.error is not None:
            raise item.error
        assert item.results is not None
        return item.results

    def _advance(self, item: Item) -> None:
        """Advances a run to its end; or back into the line, where an interrupt ended the thread that computed it."""
        with span(SpanKind.ENQUEUE, TurnCause.BATCH), self._lock:
            self._wait(item)
            group = [] if item.in_group else self._formed()
        if group:
            self._compute(group)
            return
        with InStage(Stage.COMPUTE), self._lock:
            self._changed.wait_for(lambda: item.is_done or not item.in_group)

    def _wait(self, item: Item) -> None:
        """Waits until a run is in a group, or is to form a group. The caller holds the lock."""
        token = current_token()
        if token is None:
            while not self._has_come(item):
                self._changed.wait(self._seconds(item))
            return
        with token.waking(self._wake):
            while not self._has_come(item):
                token.check()
                self._changed.wait(self._seconds(item))

    def _has_come(self, item: Item) -> bool:
        is_full = len(self._waiting) >= self.size and item in self._waiting[: self.size]
        return item.in_group or is_full or self._seconds(item) == 0

    def _seconds(self, item: Item) -> float | None:
        """The seconds that a run still waits for other runs; None where an older run watches the time."""
        if not self._waiting or self._waiting[0] is not item:
            return None
        return max(item.asked + self.timeout_ms / 1000 - monotonic(), 0)

    def _formed(self) -> list[Item]:
        group, self._waiting = self._waiting[: self.size], self._waiting[self.size :]
        for item in group:
            item.in_group = True
        self.sizes[len(group)] = self.sizes.get(len(group), 0) + 1
        self._changed.notify_all()
        return group

    def _compute(self, group: Sequence[Item]) -> None:
        """Computes a group; where the computation fails, each run of the group alone."""
        try:
            copy_context().run(self._computed, group)
        finally:
            with self._lock:
                left = [item for item in group if not item.is_done]  # after an interrupt of this thread
                for item in left:
                    item.in_group = False
                self._waiting = [*left, *self._waiting]
                self._changed.notify_all()

    def _computed(self, group: Sequence[Item]) -> None:
        set_token(None)  # cancelling one run does not end the other runs
        if len(group) > 1:
            forget()  # the inputs are joined on the host, tensors on a device too
        try:
            found = self._together(group)
            for item, results in zip(group, found, strict=True):
                item.results = results
        except FAILURES as e:  # of any delegate's own code
            if len(group) == 1:
                group[0].error = e
                return
            for item in group:
                self._computed([item])

    def _leave(self, item: Item) -> None:
        with self._lock:
            self._waiting = [each for each in self._waiting if each is not item]
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._lock:
            self._changed.notify_all()
