"""Runners: the idle runners of one compiled model, for runs without a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lite_delegate_kernels import Array

from .pool import Pool
from .runner import Runner


class Runners(Pool[Runner]):
    """A pool of idle runners. The maker raises ``ModelClosed`` once the model was closed.

    Args:
        make, most_idle: as of ``Pool``.
    """

    def __init__(self, make: Callable[[], Runner], most_idle: int | None = None) -> None:
        super().__init__(partial(_watched, make), most_idle)

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``, inside the runner's lease. A runner whose run fails is not used again.

        Raises:
            ModelClosed: the model was closed.
            DelegateBuildError: a device has no memory left for one more runner.
        """
        runner = self.take()
        runner.is_under_way = True
        try:
            if runner.lease.gate.is_shut:
                runner.lease.enter()
            results = runner.run(arrays, state)
        finally:
            runner.is_under_way = False
            if runner.lease.gate.is_shut:
                runner.lease.leave()
        self.put(runner)
        return results


def _watched(make: Callable[[], Runner]) -> Runner:
    """A runner whose lease watches it."""
    runner = make()
    runner.lease.watch(runner)
    return runner


def with_memory(make: Callable[[], Runner]) -> Callable[[], Runner]:
    """A maker of runners that hold the device memory of a request.

    The maker raises DelegateBuildError where a device has no memory for one more runner.
    """

    def made() -> Runner:
        runner = make()
        runner.take_request_memory()
        return runner

    return made
