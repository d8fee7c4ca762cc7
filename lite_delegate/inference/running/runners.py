"""Runners: those of one compiled model, which runs share that need nothing of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite_delegate_kernels import Array

from .pool import Pool
from .runner import Runner


class Runners(Pool[Runner]):
    """Runners that wait for a run. The maker raises ``ModelClosed`` once the model was closed."""

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``, in the runner's lease. A runner that fails is not used again.

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
    """What makes runners that hold on devices what a run of them needs there.

    The maker raises DelegateBuildError where a device has no room for one more.
    """

    def made() -> Runner:
        runner = make()
        runner.take_request_memory()
        return runner

    return made
