"""Runners: the idle runners of one compiled model, for runs without a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite_delegate_kernels import Array

from .pool import Pool
from .runner import Runner


class Runners(Pool[Runner]):
    """A pool of idle runners. The maker raises ``ModelClosed`` once the model was closed."""

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``, inside the runner's lease. A runner whose run fails is not used again.

        Raises:
            ModelClosed: the model was closed.
            DelegateBuildError: a device has no memory left for one more runner.
        """
        runner = self.take()
        begun = runner.lease.enter()
        try:
            results = runner.run(arrays, state)
            self.put(runner)
            return results
        finally:
            del begun
            runner.lease.leave()


def with_memory(make: Callable[[], Runner]) -> Callable[[], Runner]:
    """A maker of runners that hold the device memory of a request.

    The maker raises DelegateBuildError where a device has no memory for one more runner.
    """

    def made() -> Runner:
        runner = make()
        runner.take_request_memory()
        return runner

    return made
