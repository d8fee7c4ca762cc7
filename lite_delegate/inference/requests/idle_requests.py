"""IdleRequests: idle requests of one compiled model, for calls without a request of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ...tensors.tensor import Tensor
from ..running.pool import Pool
from ..tensors.given_inputs import Inputs
from ..tensors.results import Results
from .request import SyncRequest


class IdleRequests(Pool[SyncRequest]):
    """A pool of requests, one for each run. The maker raises ``ModelClosed`` once the model was closed."""

    def infer(self, inputs: Inputs, outputs: Sequence[Tensor]) -> Results:
        """Runs the model once from its initial states. A request whose run fails is not used again.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: tensors to write to, one per output; empty: new arrays.
        """
        request = self.take_idle()
        if request is None:
            request = self._make()
        else:
            request.reset_state()
        for index, tensor in enumerate(outputs):
            request.set_output_tensor(index, tensor)
        results = request.infer(inputs)
        if outputs:
            request.own_outputs()
        self.put(request)
        return results
