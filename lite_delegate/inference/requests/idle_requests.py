"""IdleRequests: requests of one compiled model that wait for the next run of somebody who keeps none."""

from __future__ import annotations

from collections.abc import Sequence

from ...tensors.tensor import Tensor
from ..running.pool import Pool
from ..tensors.given_inputs import Inputs
from ..tensors.results import Results
from .request import SyncRequest


class IdleRequests(Pool[SyncRequest]):
    """Runs, each by a request that no other uses. The maker raises ``ModelClosed`` once the model was closed."""

    def infer(self, inputs: Inputs, outputs: Sequence[Tensor]) -> Results:
        """One run, from the initial states on. A request that fails is not used again.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.
            outputs: that are written to, one per output; none: there are new arrays.
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
