"""Watching: steps that tell a recorder when they begin and end, and the names of the runtime's own work."""

from __future__ import annotations

from typing import Any

from ...delegate import SpanKind, current_recorder
from .plan import Step, StepFunction

CHECK_INPUTS = "check inputs"
"""The caller's tensors are checked against the model's."""
DISPATCH = "dispatch"
"""The run loop: handing arrays from step to step, freeing buffers, entering and leaving subgraphs of the model."""
CALL_GRAPH_KERNEL = "call graph kernel"
"""The runtime's work around a graph kernel: forking and binding it, checking its results."""
GIVE_OUTPUTS = "give outputs"
"""Outputs get memory of their own and become tensors."""


def reported(step: Step, function: StepFunction) -> StepFunction:
    """The function between the two ends of a span: of a CPU kernel, or of the call of a graph kernel.

    It is called only while somebody records.
    """
    kernel = step.kernel
    kind, name = (SpanKind.HOST, CALL_GRAPH_KERNEL) if step.function is None else (SpanKind.CPU_KERNEL, kernel.name)

    def call(*arrays: Any) -> Any:
        recorder = current_recorder()
        assert recorder is not None
        recorder.begin(kind, name, kernel)
        try:
            return function(*arrays)
        finally:
            recorder.end()

    return call
