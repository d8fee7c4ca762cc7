"""RequestPool: requests that wait for the next prediction."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from lite_delegate_kernels import Array

from ..tensor import Tensor
from .compiled_model import CompiledModel
from .request import InferRequest

MAX_IDLE = 8
"""Requests that are kept. Any number of predictions may run at once; those beyond it make requests of their own."""


class RequestPool:
    """Predictions of a compiled model, each with a request that no other uses. Safe for several threads.

    Args:
        compiled: the model.
    """

    def __init__(self, compiled: CompiledModel) -> None:
        self._compiled = compiled
        self._idle: deque[InferRequest] = deque(maxlen=MAX_IDLE)

    def infer(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> list[Array]:
        """A prediction, as ``InferRequest.infer``. A request whose prediction fails is not used again."""
        try:
            request = self._idle.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        outputs = request.infer(inputs)
        self._idle.append(request)
        return outputs
