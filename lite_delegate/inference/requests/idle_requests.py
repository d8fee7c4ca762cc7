"""IdleRequests: requests of one compiled model that wait for the next run of somebody who keeps none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from ...tensors.tensor import Tensor
from ..tensors.given import Inputs
from ..tensors.results import Results
from .request import SyncRequest


class IdleRequests:
    """Runs, each by a request that no other uses; it waits for the next one afterwards. Safe for several threads.

    Args:
        make: makes a request; raises ``ModelClosed`` once the model was closed.
    """

    def __init__(self, make: Callable[[], SyncRequest]) -> None:
        self._make = make
        self._idle: deque[SyncRequest] = deque()

    def infer(self, inputs: Inputs, outputs: Sequence[Tensor]) -> Results:
        """One run, from the initial states on. A request that fails is not used again.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: that are written to, one per output; none: there are new arrays.
        """
        try:
            request = self._idle.pop()
            request.reset_state()
        except IndexError:
            request = self._make()
        for index, tensor in enumerate(outputs):
            request.set_output_tensor(index, tensor)
        results = request.infer(inputs)
        if outputs:
            request.own_outputs()
        self._idle.append(request)
        return results

    def release(self) -> int:
        """Gives up the requests that wait; the bytes that they held on devices."""
        nbytes = 0
        while self._idle:
            try:
                request = self._idle.pop()
            except IndexError:  # a run has taken it
                break
            nbytes += request.give_back_memory()
        return nbytes
