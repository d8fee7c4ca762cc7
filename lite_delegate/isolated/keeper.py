"""Keeper: the process of a delegate, started again where it ended, and brought to the former state."""

from __future__ import annotations

from threading import RLock
from typing import Any
from weakref import finalize

from ..basics.counted import counted
from ..basics.forking import free, free_in_children
from ..errors import DeviceLost
from .isolation import Isolation
from .passing.messages import DelegateFacts
from .process import IsolatedProcess


class Keeper:
    """Keeps a process for a delegate. Safe for several threads.

    Args:
        isolation: the interpreter and the limits.
        maker: a pickled function that makes the delegate.

    Attributes:
        isolation: as given; it may be exchanged.
        name: the name of the delegate for the user, once a model has initialized it.
        started: how many processes there have been.
        making: is held while a process is started, or a graph kernel is made again.
        settings: the properties that were set.
        inits: how many models have the delegate initialized.
        silent: what graph kernels say of themselves that ended a process: no graph kernel is asked for it again.
    """

    def __init__(self, isolation: Isolation, maker: bytes) -> None:
        self.isolation, self._maker, self.name = isolation, maker, ""
        self.making = RLock()
        self.started = 0
        self.settings: dict[str, object] = {}
        self.inits = 0
        self.silent: set[str] = set()
        self._processes: list[IsolatedProcess] = []
        finalize(self, _end, self._processes)
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self.making)

    @property
    def last(self) -> IsolatedProcess | None:
        """The process that was started last; None where none could be."""
        return self._processes[-1] if self._processes else None

    @property
    def present(self) -> IsolatedProcess | None:
        """The process, where it is there; None: it would have to be started."""
        last = self.last
        return None if last is None or last.has_ended else last

    def process(self) -> IsolatedProcess:
        """The process, which is started where it is not there.

        Raises:
            DeviceLost: it was started as often as allowed.
            DelegateUnavailable: it cannot be started.
            DelegateError: the delegate cannot be made there.
        """
        return self.present or self.begin()[0]

    def begin(self) -> tuple[IsolatedProcess, DelegateFacts | None]:
        """The process, as ``process``, and the attributes of the delegate where it was started for this call."""
        with self.making:
            if self.present is not None:  # another thread was quicker
                return self.present, None
            limit = self.isolation.restarts
            if self.started > limit:
                last = "could not be started" if self.last is None else self.last.reason
                times = counted(limit, "restart")
                raise DeviceLost(f"the delegate's own process is not started again after {times}; the last one {last}")
            self.started += 1
            process = IsolatedProcess(self.isolation, self._maker)
            self._processes[:] = [process]
            return process, self._set_up(process)

    def _set_up(self, process: IsolatedProcess) -> DelegateFacts:
        """Makes the delegate in a new process, and brings it to the state of the former one."""
        seconds = self.isolation.start_seconds
        try:
            facts: DelegateFacts = process.make(seconds)
            if self.settings:
                process.call("set_property", self.settings, seconds=seconds)
            for _ in range(self.inits):
                process.call("init", self.name, seconds=seconds)
        except BaseException:
            process.end()
            raise
        return facts

    def ask(self, method: str, *arguments: object, seconds: float = 0, **more: Any) -> Any:
        """Calls a method of the child's ``Server``, see ``IsolatedProcess.call``, as an answer of the delegate."""
        return self.process().call(method, *arguments, seconds=seconds or self.isolation.claim_seconds, **more)


def _end(processes: list[IsolatedProcess]) -> None:
    for process in processes:
        process.end()
