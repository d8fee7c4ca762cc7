"""Calls: a compiled model as a function, from any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue

import numpy as np
from lite_delegate_kernels import Array

from ...basics.forking import free_in_children
from ...errors import InputError
from ..running.runner import Runner
from ..running.runners import Runners
from ..tensors.copies import Copy
from ..tensors.given import Inputs, checked, given_inputs, plain_arrays
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
        self._runners = Runners(make)
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
        arrays = plain_arrays(inputs, self._inputs)
        if arrays is None:
            arrays = self._brought(inputs)
        self._turns.get()
        try:
            return Results(self._outputs, self._runners.run(arrays))
        finally:
            self._turns.put(None)

    def _brought(self, inputs: Inputs) -> list[Array]:
        """The inputs as the model reads them."""
        given = given_inputs(inputs, self._inputs)
        unset = [f"{port.index} '{port.name}'" for port in self._inputs if port.index not in given]
        if unset:
            raise InputError(f"Nothing was given for the inputs {', '.join(unset)}.")
        found, copies = [checked(given[port.index], port) for port in self._inputs], list[Copy]()
        return [each if isinstance(each, np.ndarray) else each.brought(copies) for each in found]

    def release(self) -> int:
        """Gives up the runners that wait; the bytes that they held on devices."""
        return self._runners.release()
