"""Calls: a compiled model as a function, from any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue

from ...basics.forking import free_in_children
from ..running.runner import Runner
from ..running.runners import Runners, with_memory
from ..tensors.given import Inputs, arrays_of
from ..tensors.port import Port
from ..tensors.results import Results


class Calls:
    """Calls of a compiled model, each with a runner that no other uses. Safe for several threads.

    Args:
        make: makes a runner; raises ``ModelClosed`` once the model was closed.
        most: how many run at once; others wait for their turn.
        inputs: the model's.
        outputs: the model's.
    """

    def __init__(self, make: Callable[[], Runner], most: int, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        self._runners = Runners(with_memory(make))
        self._most = most
        self._inputs = inputs
        self._outputs = outputs
        self.after_fork()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: no call of the parent is under way here."""
        self._turns: SimpleQueue[None] = SimpleQueue()  # a semaphore, which takes a tenth of the time of that class
        for _ in range(self._most):
            self._turns.put(None)

    def infer(self, inputs: Inputs) -> Results:
        """One call; see ``CompiledModel.__call__``. A runner that fails is not used again."""
        arrays = arrays_of(inputs, self._inputs)
        self._turns.get()
        try:
            return Results(self._outputs, self._runners.run(arrays))
        finally:
            self._turns.put(None)

    def release(self) -> int:
        """Gives up the runners that wait; the bytes that they held on devices."""
        return self._runners.release()
