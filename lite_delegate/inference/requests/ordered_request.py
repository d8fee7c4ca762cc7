"""OrderedRequest: a request of a model that computes runs one at a time, in the order of their starts."""

from __future__ import annotations

from ...errors import RequestError
from ..tensors.given_inputs import Given, Inputs, with_named
from ..tensors.results import Results
from .infer_request import InferRequest

SEQUENTIALLY = "NPU_RUN_INFERENCES_SEQUENTIALLY"
"""The device property for runs in order."""


class OrderedRequest(InferRequest):
    """A request whose runs, ``infer`` included, are computed by the single worker of its model."""

    def infer(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """As ``SyncRequest.infer``, behind all earlier runs of the model.

        Raises:
            RequestError: called by a callback, whose worker would wait for itself.
            Exception: as ``SyncRequest.infer``.
        """
        if self._executor.is_worker:
            raise RequestError(
                f"infer: request {self.number} of a model with {SEQUENTIALLY} cannot be run by a callback, which "
                "would wait for itself; call start_async."
            )
        completion = self._start("infer", with_named(inputs, named) if named else inputs, None)
        try:
            completion.wait(None)
        except BaseException:  # after an interrupt, the request is idle again before the error is raised
            self.cancel()
            completion.wait(None)
            raise
        completion.check()
        made = completion.take()
        return self._shared() if share_outputs else Results(self._outputs, made)
