"""Made: the graph kernels of a plan that is being made: named, prepared once, and given up where they are of no use."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable
from itertools import count

from ...delegate import Kernel

_log = logging.getLogger("lite_delegate")


class Made:
    """The graph kernels of a plan that is being made, of all its graphs and delegates.

    Each gets a name of its own, is prepared once, and is given up where it is of no use.

    Args:
        plan_only: they are not going to run: preparing them is only rehearsed.
    """

    def __init__(self, plan_only: bool = False) -> None:
        self._plan_only = plan_only
        self._known: dict[Kernel, str] = {}
        self._borrowed: set[Kernel] = set()

    def borrow(self, kernel: Kernel) -> None:
        """Takes note of a fork of another plan's graph kernel, with which it shares what that one prepared.

        It is neither prepared nor released.
        """
        self._enter(kernel)
        self._borrowed.add(kernel)

    def prepare(self, kernel: Kernel) -> None:
        """Prepares a graph kernel, unless that was done; one that cannot be prepared is given up.

        Raises:
            Exception: whatever the delegate's code raises.
        """
        if kernel in self._known:
            return
        self._enter(kernel)
        try:
            if self._plan_only:
                kernel.rehearse()
            else:
                kernel.prepare()
        except Exception:
            self.give_up([kernel])
            raise

    def give_up(self, kernels: Iterable[Kernel]) -> None:
        """Releases graph kernels that were made for this plan; others stay as they are."""
        for kernel in kernels:
            if self._known.pop(kernel, None) is not None and kernel not in self._borrowed:
                _release(kernel)

    def give_up_all(self) -> None:
        """Releases all graph kernels that were made for this plan."""
        self.give_up(tuple(self._known))

    def _enter(self, kernel: Kernel) -> None:
        """Takes note of a graph kernel, and gives it a name that no other has."""
        kernel.name = self._known[kernel] = free_name(kernel.name, set(self._known.values()))


def free_name(name: str, taken: Collection[str]) -> str:
    """``name`` where nobody has it; else the first that is free of "name#2", "name#3", ..."""
    if name not in taken:
        return name
    given = re.sub(r"#\d+$", "", name)
    return next(each for number in count(2) if (each := f"{given}#{number}") not in taken)


def _release(kernel: Kernel) -> None:
    try:
        kernel.release()
    except Exception as e:  # it is of no use any more, whatever it says
        _log.warning("graph kernel '%s' could not be released: %s", kernel.name, e)
