"""Running steps one after another over the buffers of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...basics.unforeseen import out_of_memory
from ...delegate import current_recorder, current_token
from ...errors import KernelError, LiteDelegateError
from .plan import Step, StepFunction
from .watching import reported

BoundStep = Callable[[list[Any]], None]
"""A step over the buffers: reads them, writes to them, and frees what nothing reads any more."""


class BoundSteps:
    """Steps with the functions that compute them, made once and run again and again.

    While somebody records this thread, the same loop runs over the same steps, each of them reported.

    Args:
        steps: in execution order.
        functions: the function that computes each step.
    """

    def __init__(self, steps: Sequence[Step], functions: Sequence[StepFunction]) -> None:
        self._steps = steps
        self._functions = functions
        self._calls = list(map(bound_step, steps, functions))
        self._reported: list[BoundStep] | None = None

    def run(self, buffers: list[Any]) -> None:
        """Runs the steps in order; they read and write ``buffers``.

        Raises:
            RequestCancelled: the run was cancelled; the run checks for that before each step.
            KernelError: a CPU kernel failed; the message names its node.
            LimitError: a kernel found no memory.
            LiteDelegateError: a step raised it on purpose.
        """
        self._through(self._calls if current_recorder() is None else self._watched(), buffers)

    def run_unwatched(self, buffers: list[Any]) -> None:
        """As ``run``, for a caller who knows that nobody records this thread."""
        self._through(self._calls, buffers)

    def _through(self, calls: list[BoundStep], buffers: list[Any]) -> None:
        token = current_token()
        call: BoundStep | None = None
        try:
            if token is None:
                for call in calls:
                    call(buffers)
                return
            token.check()  # also where there is no step: a loop's round may be one call
            for call in calls:
                if token.is_cancelled:
                    token.check()
                call(buffers)
        except LiteDelegateError:
            raise
        except Exception as e:
            assert call is not None
            kernel = self._steps[calls.index(call)].kernel
            where = f"Node '{kernel.name}' ({kernel.type})"
            if isinstance(e, MemoryError):
                raise out_of_memory(where, e) from e
            raise KernelError(f"{where}: {e}.") from e

    def _watched(self) -> list[BoundStep]:
        if self._reported is None:
            functions = map(reported, self._steps, self._functions)
            self._reported = list(map(bound_step, self._steps, functions))
        return self._reported


def bound_step(step: Step, function: StepFunction) -> BoundStep:
    """A step and its function, bound to the buffers; the common kinds without any loop."""
    is_unused = not set(step.writes).isdisjoint(step.frees)
    if len(step.writes) != 1 or len(step.frees) > 1 or len(step.reads) not in (1, 2) or is_unused:
        return _any_step(step, function)
    freed = step.frees[0] if step.frees else step.writes[0]
    if len(step.reads) == 1:
        return _unary_step(function, step.reads[0], freed, step.writes[0])
    x, y = step.reads
    return _binary_step(function, x, y, freed, step.writes[0])


def _unary_step(function: StepFunction, x: int, freed: int, written: int) -> BoundStep:
    def call(buffers: list[Any]) -> None:
        result = function(buffers[x])
        buffers[freed] = None
        buffers[written] = result[0] if type(result) is tuple else result

    return call


def _binary_step(function: StepFunction, x: int, y: int, freed: int, written: int) -> BoundStep:
    def call(buffers: list[Any]) -> None:
        result = function(buffers[x], buffers[y])
        buffers[freed] = None
        buffers[written] = result[0] if type(result) is tuple else result

    return call


def _any_step(step: Step, function: StepFunction) -> BoundStep:
    reads, writes, frees = step.reads, step.writes, step.frees

    def call(buffers: list[Any]) -> None:
        result = function(*[buffers[slot] for slot in reads])
        if type(result) is tuple:
            for slot, array in zip(writes, result, strict=False):
                buffers[slot] = array
        else:
            buffers[writes[0]] = result
        for slot in frees:
            buffers[slot] = None

    return call
