"""Hints on standard error: a line about a way to go on that the user may not know."""

from __future__ import annotations

from ...inference import CompiledModel
from ...runtime.records import is_cpu
from .loudness import note

SLOW_SECONDS = 0.1
"""A prediction that takes as long on numpy is worth a hint."""


def say_slow_numpy(compiled: CompiledModel, seconds: float) -> None:
    """Says how to get a quicker runtime, where a prediction was slow, and numpy computed most of the nodes.

    Args:
        compiled: the model.
        seconds: that a prediction took.
    """
    record, backends = compiled.partition, compiled.settings.cpu_backends
    on_numpy = sum(is_cpu(node.device) for node in record.nodes)
    if seconds < SLOW_SECONDS or backends or compiled.settings.reference_kernels or 2 * on_numpy <= len(record.nodes):
        return
    took = f"hint: the prediction took {seconds * 1e3:,.0f} ms on numpy"
    if _runtimes_are_there():
        note(f"{took}; --cpu-backends auto runs it on the runtime that is installed.")
    else:
        note(f"{took}; runtimes that are several times as fast come with: pip install 'lite-delegate[fast]'")


def _runtimes_are_there() -> bool:
    from ...mindspore.context.context_backends import context_backends

    return bool(context_backends("AUTO"))
