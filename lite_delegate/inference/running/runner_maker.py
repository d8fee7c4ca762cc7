"""RunnerMaker: the maker of a plan's runners, which holds no reference to the compiled model."""

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
"""Makes a runner; its argument runs in place of graph kernels, None by default."""


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
    """A maker of runners around the runners of another maker, which allow no replacement of graph kernels.

    Args:
        make: makes the runner inside.
        wrap: wraps the inner runner.
        refusal: the message of the RequestError for a replacement of graph kernels.
    """

    def made(instead: Instead | None = None) -> Runner:
        if instead is not None:
            raise RequestError(refusal)
        return wrap(make())

    return made
