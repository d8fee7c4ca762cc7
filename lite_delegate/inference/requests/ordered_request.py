"""OrderedRequest: a request of a model whose runs go one at a time, in the order in which they were started."""

from __future__ import annotations

from ...errors import RequestError
from ..tensors.given_inputs import Given, Inputs, with_named
from ..tensors.results import Results
from .infer_request import InferRequest

SEQUENTIALLY = "NPU_RUN_INFERENCES_SEQUENTIALLY"
"""The property of a device that asks for it."""


class OrderedRequest(InferRequest):
    """A request whose runs, also those of ``infer``, are computed by the one worker of its model."""

    def infer(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """As ``SyncRequest.infer``, after all runs of the model that were started before.

        Raises:
            RequestError: called by a callback: the worker that is to compute it is waiting for this call.
            Exception: what ``SyncRequest.infer`` raises.
        """
        if self._executor.is_worker:
            raise RequestError(
                f"infer: request {self.number} of a model with {SEQUENTIALLY} cannot be run by a callback, which "
                "would wait for itself; call start_async."
            )
        completion = self._start("infer", with_named(inputs, named) if named else inputs, None)
        try:
            completion.wait(None)
        except BaseException:  # interrupted: the request is idle again when this is raised
            self.cancel()
            completion.wait(None)
            raise
        completion.check()
        made = completion.take()
        return self._shared() if share_outputs else Results(self._outputs, made)
