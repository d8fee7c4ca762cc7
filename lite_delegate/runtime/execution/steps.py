"""Running steps one after another over the buffers of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import KernelError, LiteDelegateError
from .plan import Step, StepFunction

Call = tuple[Step, StepFunction, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""A step unpacked for the run loop: step, function, slots to read, to write, to free afterwards."""


def unpacked(step: Step, function: StepFunction) -> Call:
    """The step for the run loop, with the function that computes it."""
    return step, function, step.reads, step.writes, step.frees


def run_steps(calls: Sequence[Call], buffers: list[Any]) -> None:
    """Runs ``calls`` in order; they read and write ``buffers``.

    Raises:
        KernelError: a CPU kernel failed; the message names its node.
        LiteDelegateError: what a step raised on purpose.
    """
    call: Call | None = None
    try:
        for call in calls:
            _, function, reads, writes, frees = call
            result = function(*[buffers[slot] for slot in reads])
            if type(result) is tuple:
                for slot, array in zip(writes, result, strict=False):
                    buffers[slot] = array
            else:
                buffers[writes[0]] = result
            for slot in frees:
                buffers[slot] = None
    except LiteDelegateError:
        raise
    except Exception as e:
        where = "" if call is None else f"Node '{call[0].kernel.name}' ({call[0].kernel.type}): "
        raise KernelError(f"{where}{e}.") from e
