"""The log line of a run."""

from __future__ import annotations

from ...delegate.calls.log import DelegateLog
from ...errors import RequestCancelled
from ..profiling.profile import RequestProfile
from ..running.runner import Runner


def tell_run(runner: Runner, number: int, profile: RequestProfile, error: BaseException | None) -> None:
    """Logs the outcome of a run and the times of its stages.

    Args:
        runner: of the run.
        number: of the request.
        profile: of the run.
        error: of the run; None after a successful run.
    """
    log = DelegateLog(runner.device or runner.log.device, runner.log.level, runner.log.model)
    ended = "done" if error is None else "cancelled" if isinstance(error, RequestCancelled) else "failed"
    stages = ", ".join(f"{stage} {ns / 1e3:.1f}" for stage, ns in profile.stages.items())
    log.write("LOG_DEBUG", "run %s after %.1f us: %s", ended, profile.latency_ns / 1e3, stages, request=number)
