"""Lease: the resources that a compiled model holds, and its predictions under way."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Condition, RLock
from typing import Protocol
from weakref import finalize, ref

from ...basics.forking import free, free_in_children
from ...errors import ModelClosed
from .shared import Shared


class UnderWay:
    """A prediction that is under way.

    An interrupt may come at any point, but no interrupt keeps this object alive beyond the prediction's own frame.
    """

    __slots__ = ("__weakref__",)


class Predictor(Protocol):
    """An object that predicts again and again, and says itself whether it does so now."""

    @property
    def is_under_way(self) -> bool:
        """Whether a prediction of the object is under way."""

    def after_fork(self) -> None:
        """See ``forking``: no prediction of the parent is under way here."""


class Gate:
    """The way into a lease.

    Attributes:
        is_shut: whether predictions wait, because the lease is suspended, or fail, because it is closed.
    """

    __slots__ = ("is_shut",)

    def __init__(self) -> None:
        self.is_shut = False


class _LeaseState:
    """A lease's own, apart from it so that it outlives it while it is collected."""

    def __init__(self, held: Sequence[Shared]) -> None:
        self.held = tuple(held)
        self.reason = ""
        self.gate = Gate()
        self.under_way: set[ref[UnderWay]] = set()  # each leaves by itself when its prediction is gone
        self.watched: set[ref[Predictor]] = set()
        self.is_given_back = False
        self.is_closed = False
        self.is_suspended = False
        self.lock = RLock()  # closing may be the garbage collector's doing, at any point of any thread
        self.changed = Condition(self.lock)
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no prediction of the parent is under way here."""
        free(self.changed)
        self.under_way = set()
        for user in self._users():
            if user is not None:
                user.after_fork()
        self.suspend(is_suspended=False)

    @property
    def is_busy(self) -> bool:
        """Whether a prediction is under way."""
        return bool(self.under_way) or any(user is not None and user.is_under_way for user in self._users())

    def _users(self) -> list[Predictor | None]:
        """The watched objects.

        Other threads may add some meanwhile, and the collector drop some: a list of a set is made without either.
        """
        return [user() for user in list(self.watched)]

    def suspend(self, *, is_suspended: bool) -> None:
        self.is_suspended = is_suspended
        self.gate.is_shut = is_suspended or self.is_closed

    def enter_later(self) -> UnderWay:
        """Waits while the lease is suspended, then enters; raises ModelClosed once the lease is closed."""
        with self.lock:
            while self.is_suspended and not self.is_closed:
                self.changed.wait()
            if not self.is_closed:
                begun = UnderWay()
                self.under_way.add(ref(begun, self.under_way.discard))
                return begun
        self.give_back()  # whoever closed it may have seen this one under way
        raise ModelClosed(self.reason)

    def close(self, reason: str = "") -> None:
        with self.lock:
            self.reason = self.reason or reason
            self.is_closed = self.gate.is_shut = True
            self.changed.notify_all()
        self.give_back()

    def give_back(self) -> None:
        """Gives the held resources back, once, if the lease is closed and no prediction is under way."""
        with self.lock:
            if self.is_given_back or not self.is_closed or self.is_busy:
                return
            self.is_given_back = True
        for shared in self.held:
            shared.let_go()


class Lease:
    """The hold of a compiled model on graph kernels and delegates, in the order in which it is given back.

    The resources are given back once: when the lease is closed and no prediction is under way, or when the lease is
    garbage; every object that could predict with the resources refers to the lease.

    Args:
        held: the resources that are let go.

    Attributes:
        gate: says whether predictions may begin now.
    """

    def __init__(self, held: Sequence[Shared]) -> None:
        self._state = _LeaseState(held)
        self.gate = self._state.gate
        self._finalizer = finalize(self, self._state.close)

    @property
    def is_closed(self) -> bool:
        """True once it was closed."""
        return self._state.is_closed

    def check(self) -> None:
        """Raises ModelClosed once it was closed."""
        if self._state.is_closed:
            raise ModelClosed(self._state.reason)

    def enter(self) -> UnderWay:
        """Begins a prediction, which lasts as long as the returned object is held. Waits while the lease is suspended.

        Raises:
            ModelClosed: the lease is closed.
        """
        state = self._state
        begun = UnderWay()
        state.under_way.add(
            ref(begun, state.under_way.discard)
        )  # seen first: whoever closes or suspends looks after it
        if state.gate.is_shut:
            del begun
            return state.enter_later()
        return begun

    def watch(self, user: Predictor) -> None:
        """Counts the predictions of an object as under way, so that none of them has to enter.

        The object begins each prediction, and looks at the gate then; at a shut gate it enters after all. It leaves at
        a shut gate when the prediction has ended.
        """
        watched = self._state.watched
        watched.add(ref(user, watched.discard))

    def leave(self) -> None:
        """Ends a prediction; the last one gives back the resources if the lease was closed meanwhile."""
        if self._state.is_closed:
            self._state.give_back()

    def suspend(self) -> bool:
        """Keeps predictions from beginning; False, and none is kept, where one is under way or it is closed."""
        state = self._state
        with state.lock:
            if state.gate.is_shut:
                return False
            state.suspend(is_suspended=True)
            if not state.is_busy:
                return True
            state.suspend(is_suspended=False)
            state.changed.notify_all()
            return False

    def resume(self) -> None:
        """Lets predictions begin again."""
        with self._state.lock:
            self._state.suspend(is_suspended=False)
            self._state.changed.notify_all()

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Lets no prediction begin any more, and gives the resources back once all predictions under way have ended.

        Args:
            reason: why predictions fail from now on; the reason of the first call counts.
        """
        self._state.close(reason)
