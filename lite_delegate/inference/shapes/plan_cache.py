"""PlanCache: the plans of a model by shapes, of which those are kept that were used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock
from typing import Generic, Protocol, TypeVar

from ...basics.forking import free, free_in_children
from ...delegate import current_token

MOST_PLANS = 16
"""Plans that a model keeps."""


class Kept(Protocol):
    """A plan that can be kept."""

    @property
    def is_closed(self) -> bool:
        """True once nobody can run it any more."""

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the plan is made anew for the next user."""


Key = TypeVar("Key", bound=Hashable)
Plan = TypeVar("Plan", bound=Kept)


def _nothing(_: Kept) -> None:
    """A plan that goes lasts as long as somebody has it."""


def _any(_: Kept) -> bool:
    return True


class PlanCache(Generic[Key, Plan]):
    """Plans by key, ``MOST_PLANS`` at most. The plan goes first that was not used for the longest time.

    Closed plans go as soon as another plan comes. Safe for several threads, one of which plans at a time.

    Args:
        pinned: the key whose plan does not go to make room for another one; None: there is no such key.
        evicted: gets each plan that made room, or whose key another plan has now.
    """

    def __init__(self, *, pinned: Key | None = None, evicted: Callable[[Plan], None] = _nothing) -> None:
        self._pinned = pinned
        self._evicted = evicted
        self._plans: OrderedDict[Key, Plan] = OrderedDict()
        self._lock = RLock()  # the garbage collector may cancel a run, or close a model, at any point of any thread
        self._changed = Condition(self._lock)
        self._is_planning = False
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: whoever planned in the parent is not here."""
        free(self._changed)
        self._is_planning = False

    def __len__(self) -> int:
        return len(self._plans)

    def items(self) -> tuple[tuple[Key, Plan], ...]:
        """The plans with their keys; the plan that was used last at the end."""
        with self._lock:
            return tuple(self._plans.items())

    def values(self) -> tuple[Plan, ...]:
        """The plans; the one that was used last at the end."""
        return tuple(plan for _, plan in self.items())

    def find(self, key: Key, fits: Callable[[Plan], bool] = _any) -> Plan | None:
        """The plan of a key, which is now the one that was used last; None without one that can be used.

        Args:
            key: of the plan.
            fits: whether the plan is the right one for its next user.
        """
        with self._lock:
            found = self._plans.get(key)
            if found is None or found.is_closed or found.has_lost_device or not fits(found):
                return None
            self._plans.move_to_end(key)
            return found

    def found_or_made(self, key: Key, make: Callable[[], Plan], fits: Callable[[Plan], bool] = _any) -> Plan:
        """The plan of a key, which is made where none is kept that can be used; the caller keeps it once it goes over.

        Args:
            key: of the plan.
            make: makes it.
            fits: as for ``find``.
        """
        found = self.find(key, fits)
        return make() if found is None else found

    def keep(self, key: Key, plan: Plan) -> None:
        """Keeps a plan as the one that was used last; lets go the plan in its place, closed ones, and surplus ones."""
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
        """Keeps the plan of a key no longer, without a word to ``evicted``."""
        with self._lock:
            self._plans.pop(key, None)

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Nobody else plans, or changes plans, until the block is left.

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
        """Until nobody plans. The caller holds the lock."""
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
