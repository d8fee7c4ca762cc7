"""Reports of runs on the simulated clock, in the terms that all delegates share."""

from __future__ import annotations

from ...delegate.answers.device_run import DeviceRun, DeviceStage
from .times import RunTimes


def device_run(kernel: str, times: RunTimes) -> DeviceRun:
    """When the commands of a run of a graph kernel ran, by its name."""
    stages = (
        DeviceStage(each.engine.value, each.start, each.end, each.number, each.nbytes, each.input_wait_us)
        for each in times.commands
    )
    return DeviceRun(kernel, times.enqueued, times.end, tuple(stages), times.cancelled)
