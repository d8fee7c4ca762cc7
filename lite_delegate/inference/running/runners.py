"""Runners: those of one compiled model, which runs share that need nothing of their own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from lite_delegate_kernels import Array

from .runner import Runner


class Runners:
    """Runners that wait for a run. Safe for several threads: a run has a runner that no other uses.

    Args:
        make: makes one; raises ``ModelClosed`` once the model was closed.
    """

    def __init__(self, make: Callable[[], Runner]) -> None:
        self._make = make
        self._idle: deque[Runner] = deque()

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``, in the runner's lease. A runner that fails is not used again.

        Raises:
            ModelClosed: the model was closed.
            DelegateBuildError: a device has no memory left for one more runner.
        """
        runner = self._taken()
        begun = runner.lease.enter()
        try:
            results = runner.run(arrays, state)
            self._idle.append(runner)
            return results
        finally:
            del begun
            runner.lease.leave()

    def _taken(self) -> Runner:
        try:
            return self._idle.pop()
        except IndexError:
            runner = self._make()
            runner.take_request_memory()
            return runner

    def release(self) -> int:
        """Gives up the runners that wait; the bytes that they held on devices."""
        nbytes = 0
        while self._idle:
            try:
                runner = self._idle.pop()
            except IndexError:  # a run has taken it
                break
            nbytes += runner.give_back_request_memory()
        return nbytes
