"""Watching: steps that tell a recorder when they begin and end, and what the runtime calls its own work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...delegate import SpanKind, SpanRecorder, current_recorder
from .plan import Step, StepFunction
from .steps import Call

CHECK_INPUTS = "check inputs"
"""The caller's tensors are checked against the model's."""
DISPATCH = "dispatch"
"""The run loop: handing arrays from step to step, freeing buffers, entering and leaving subgraphs of the model."""
CALL_GRAPH_KERNEL = "call graph kernel"
"""What the runtime does around a graph kernel: forking and binding it, checking what it gives."""
GIVE_OUTPUTS = "give outputs"
"""Outputs get memory of their own and become tensors."""


def watched(calls: Sequence[Call]) -> Sequence[Call]:
    """The calls as they are while nobody records this thread; else the same calls, each of them reported."""
    recorder = current_recorder()
    if recorder is None:
        return calls
    return [
        (step, _reported(step, function, recorder), reads, writes, frees)
        for step, function, reads, writes, frees in calls
    ]


def _reported(step: Step, function: StepFunction, recorder: SpanRecorder) -> StepFunction:
    """The function between the two ends of a span: of a CPU kernel, or of the call of a graph kernel."""
    kernel = step.kernel
    kind, name = (SpanKind.HOST, CALL_GRAPH_KERNEL) if step.function is None else (SpanKind.CPU_KERNEL, kernel.name)
    begin, end = recorder.begin, recorder.end

    def call(*arrays: Any) -> Any:
        begin(kind, name, kernel)
        try:
            return function(*arrays)
        finally:
            end()

    return call
