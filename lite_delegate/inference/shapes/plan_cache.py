"""PlanCache: the most recently used plans of a model, by shapes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock
from typing import Generic, Protocol, TypeVar

from ...basics.forking import free, free_in_children
from ...delegate import current_token

MOST_PLANS = 16
"""The maximum number of kept plans."""


class Kept(Protocol):
    """A plan of the cache."""

    @property
    def is_closed(self) -> bool:
        """True once the plan cannot run any more."""

    @property
    def has_lost_device(self) -> bool:
        """True after the loss of a graph kernel's device: the next user needs a new plan."""


Key = TypeVar("Key", bound=Hashable)
Plan = TypeVar("Plan", bound=Kept)


def _nothing(_: Kept) -> None:
    """Leaves an evicted plan to its users."""


def _any(_: Kept) -> bool:
    return True


class PlanCache(Generic[Key, Plan]):
    """At most ``MOST_PLANS`` plans by key. The least recently used plan is evicted first.

    Closed plans are evicted when another plan is kept. Safe for several threads; one thread plans at a time.

    Args:
        pinned: the key of a plan that is never evicted for lack of room; None: no such key.
        evicted: called with each plan that is evicted for room or replaced under its key.
    """

    def __init__(self, *, pinned: Key | None = None, evicted: Callable[[Plan], None] = _nothing) -> None:
        self._pinned = pinned
        self._evicted = evicted
        self._plans: OrderedDict[Key, Plan] = OrderedDict()
        self._lock = RLock()  # reentrant: the garbage collector may cancel a run, or close a model, at any point
        self._changed = Condition(self._lock)
        self._is_planning = False
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: a thread that plans in the parent process does not exist in the child process."""
        free(self._changed)
        self._is_planning = False

    def __len__(self) -> int:
        return len(self._plans)

    def items(self) -> tuple[tuple[Key, Plan], ...]:
        """The plans with their keys, from the least to the most recently used."""
        with self._lock:
            return tuple(self._plans.items())

    def values(self) -> tuple[Plan, ...]:
        """The plans, from the least to the most recently used."""
        return tuple(plan for _, plan in self.items())

    def find(self, key: Key, fits: Callable[[Plan], bool] = _any) -> Plan | None:
        """The plan of a key, which becomes the most recently used plan; None without a usable plan.

        Args:
            key: of the plan.
            fits: whether the plan suits its next user.
        """
        with self._lock:
            found = self._plans.get(key)
            if found is None or found.is_closed or found.has_lost_device or not fits(found):
                return None
            self._plans.move_to_end(key)
            return found

    def found_or_made(self, key: Key, make: Callable[[], Plan], fits: Callable[[Plan], bool] = _any) -> Plan:
        """The plan of a key, which is made if no usable plan is kept; the caller must ``keep`` a new plan.

        Args:
            key: of the plan.
            make: makes the plan.
            fits: as for ``find``.
        """
        found = self.find(key, fits)
        return make() if found is None else found

    def keep(self, key: Key, plan: Plan) -> None:
        """Keeps a plan as the most recently used; evicts the earlier plan of its key, closed and surplus plans."""
        with self._lock:
            left = OrderedDict((k, p) for k, p in self._plans.items() if k != key and not p.is_closed)
            gone = [] if self._plans.get(key, plan) is plan else [self._plans[key]]
            left[key] = plan
            idle = [each for each in left if each not in (key, self._pinned)]
            gone += [left.pop(each) for each in idle[: max(len(left) - MOST_PLANS, 0)]]
            self._plans = left
        for each in gone:
            self._evicted(each)

    def remove(self, key: Key) -> None:
        """Removes the plan of a key, without a call of ``evicted``."""
        with self._lock:
            self._plans.pop(key, None)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Keeps other threads from planning, and from changing plans, during the block.

        Raises:
            RequestCancelled: the run that waits for its turn was cancelled.
        """
        is_mine = False
        try:
            with self._lock:
                self._wait()
                is_mine = self._is_planning = True
            yield
        finally:
            if is_mine:
                with self._lock:
                    self._is_planning = False
                    self._changed.notify_all()

    def _wait(self) -> None:
        """Waits until no thread plans. The caller holds the lock."""
        token = current_token()
        if token is None:
            self._changed.wait_for(lambda: not self._is_planning)
            return
        with token.waking(self._wake):
            self._changed.wait_for(lambda: token.is_cancelled or not self._is_planning)
            token.check()

    def _wake(self) -> None:
        with self._lock:
            self._changed.notify_all()
