"""RunnerPool: runners that wait for the next prediction."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from lite_delegate_kernels import Array

from ...delegate import SpanKind, span
from ...runtime.execution.inputs import arrays_of
from ...runtime.execution.watching import CHECK_INPUTS
from ...tensors.tensor import Tensor
from .runner import Runner

MAX_IDLE = 8
"""Runners that are kept. Any number of predictions may run at once; those beyond it make runners of their own."""


class RunnerPool:
    """Predictions of a compiled model, each with a runner that no other uses. Safe for several threads.

    Args:
        make: makes a runner; raises ``ModelClosed`` once the model was closed.
    """

    def __init__(self, make: Callable[[], Runner]) -> None:
        self._make = make
        self._idle: deque[Runner] = deque(maxlen=MAX_IDLE)

    def infer(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> list[Array]:
        """A prediction. A runner whose prediction fails is not used again.

        Args:
            inputs: a tensor or an array for each input, in order or by name. They are not written to.

        Returns:
            The outputs in order; new arrays, which are the caller's.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape; nothing has run.
            ModelClosed: the compiled model has been closed.
            KernelError, DelegateExecuteError: as ``Runner.run``.
        """
        try:
            runner = self._idle.pop()
        except IndexError:
            runner = self._make()
        begun, has_run = runner.lease.enter(), False
        try:
            with span(SpanKind.HOST, CHECK_INPUTS):
                arrays = arrays_of(inputs, runner.plan.inputs)
            has_run = True
            outputs = runner.run(arrays)
        finally:
            del begun
            runner.lease.leave()
            if not has_run:
                self._idle.append(runner)
        self._idle.append(runner)
        return outputs

    def clear(self) -> None:
        """Lets the idle runners go."""
        self._idle.clear()
