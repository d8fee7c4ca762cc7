"""The graph kernels of a plan in the making: named, prepared once, and given up where they are of no use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import count

from ....basics.unforeseen import FAILURES
from ....delegate import Kernel, cancel_point
from ....delegate.calls.calls import prepare
from ...lifetimes.lease import Lease
from ...lifetimes.session import Session
from ...lifetimes.shared import Shared, shared_kernel


class PlanKernels:
    """The graph kernels of a plan that is being made, of all its graphs and delegates.

    Each gets a name of its own, is prepared once, and is given up where it is of no use.

    Args:
        plan_only: the graph kernels are not going to run: preparing them is only rehearsed.
    """

    def __init__(self, plan_only: bool = False) -> None:
        self._plan_only = plan_only
        self._held: dict[Kernel, Shared] = {}
        self._sessions: list[Shared] = []

    @property
    def held(self) -> dict[Kernel, Shared]:
        """The plan's hold on each graph kernel: letting go releases it, unless other plans share it."""
        return dict(self._held)

    def share(self, session: Session) -> None:
        """Keeps a session of the delegates that made them for as long as the plan."""
        self._sessions.append(session.share())

    def lease(self) -> Lease:
        """The plan's lease of graph kernels and sessions: the graph kernels are given back first."""
        return Lease([*self._held.values(), *self._sessions])

    def borrow(self, kernel: Kernel, shared: Shared, name: str = "") -> None:
        """Takes note of a graph kernel that came from another plan, or is a fork of such a graph kernel.

        The graph kernel is not prepared. It is released with the shared resource, when the last sharing plan ends.

        Args:
            kernel: the graph kernel.
            shared: the other plan's hold on it.
            name: its name in the other plan, "" for its own.
        """
        kernel.name = name or kernel.name
        self._name(kernel)
        self._held[kernel] = shared.share()

    def prepare(self, kernel: Kernel) -> None:
        """Prepares a graph kernel, unless that was done; one that cannot be prepared is given up.

        Raises:
            Exception: whatever the delegate's code raises.
        """
        if kernel in self._held:
            return
        cancel_point()
        self._name(kernel)
        self._held[kernel] = shared_kernel(kernel)
        try:
            prepare(kernel, kernel.rehearse if self._plan_only else kernel.prepare)
        except FAILURES:
            self.give_up([kernel])
            raise

    def give_up(self, kernels: Iterable[Kernel]) -> None:
        """Gives up the graph kernels of this plan among ``kernels``."""
        for kernel in kernels:
            shared = self._held.pop(kernel, None)
            if shared is not None:
                shared.let_go()

    def give_up_all(self) -> None:
        """Lets go of all graph kernels, and of the sessions."""
        self.give_up(tuple(self._held))
        while self._sessions:
            self._sessions.pop().let_go()

    def rename(self, kernel: Kernel, name: str) -> None:
        """Gives a graph kernel another name, with a number behind it where the name is taken."""
        kernel.name = free_name(name, {each.name for each in self._held if each is not kernel})

    def _name(self, kernel: Kernel) -> None:
        """Gives a graph kernel a name that no other has."""
        kernel.name = free_name(kernel.name, {each.name for each in self._held})


def free_name(name: str, taken: Collection[str]) -> str:
    """``name`` where it is free; else the first free name of "name#2", "name#3", ..."""
    if name not in taken:
        return name
    given = re.sub(r"#\d+$", "", name)
    return next(each for number in count(2) if (each := f"{given}#{number}") not in taken)
