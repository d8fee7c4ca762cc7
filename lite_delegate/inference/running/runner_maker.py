"""RunnerMaker: makes runners of a plan, without the compiled model: what it keeps must not keep it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import LiteDelegateError, RequestError
from ...runtime.execution.fallback import Fallbacks
from ...runtime.execution.memory import keep_freed_memory
from ...runtime.execution.run import Instead
from .plan_runner import PlanRunner
from .runner import Runner

if TYPE_CHECKING:
    from ...runtime.planning.scheduled import Scheduled

RunnerMaker = Callable[..., Runner]
"""Makes a runner; takes what is to run instead of graph kernels, None by default."""


def runner_of(scheduled: Scheduled, fallbacks: Fallbacks, instead: Instead | None = None) -> Runner:
    """A runner of a plan."""
    scheduled.lease.check()
    if scheduled.settings.plan_only:
        raise LiteDelegateError("The Model was only planned and cannot predict: set Context.plan_only to False.")
    keep_freed_memory()
    settings, shared = scheduled.settings, scheduled.settings.shared_state_buffers
    held = scheduled.plan, scheduled.lease, fallbacks, scheduled.log
    counts = settings.counts_kernels
    return PlanRunner(*held, settings.run_threads, instead, shared_state_buffers=shared, counts_kernels=counts)


def wrapping(make: RunnerMaker, wrap: Callable[[Runner], Runner], refusal: str) -> RunnerMaker:
    """Makes runners around those of another maker, for which nothing can run instead of their graph kernels.

    Args:
        make: makes the runner inside.
        wrap: puts another one around it.
        refusal: what is wrong with something to run instead; the maker raises it as a RequestError.
    """

    def made(instead: Instead | None = None) -> Runner:
        if instead is not None:
            raise RequestError(refusal)
        return wrap(make())

    return made
