"""SignatureRequests: the requests of a file's signatures for one request, with shared variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InputError
from ...runtime.binding.host import find_variables
from ..planned.signatures import SignatureRunner, runner_of_signature
from ..state.state import SharedValues

if TYPE_CHECKING:
    from .request import SyncRequest
    from .signed_model import SignedModel


class SignatureRequests:
    """The signatures of one request: a request for each signature of the file that calls another graph.

    As with the signature runners of one LiteRT interpreter, all signatures share the resource variables; variable
    tensors belong to their graph alone. An assignment of CALL_ONCE happens once, with the first signature that has it.

    Args:
        model: of the request.
        request: the new request of the plain call.
    """

    def __init__(self, model: SignedModel, request: SyncRequest) -> None:
        self._model = model
        self._values: SharedValues = {}
        self._initial: SharedValues = {}
        self._assigned: set[str] = set()
        self._others: dict[str, SyncRequest] = {}
        if any(each.is_elsewhere for each in model.graph.signatures):
            self._join(model, request, request)

    def runner(self, request: SyncRequest, key: str | None) -> SignatureRunner:
        """A signature as a function, whose runs share the request's variables and take turns with its runs.

        Raises:
            Exception: as ``CompiledModel.for_signature`` and ``create_infer_request``.
        """
        model = self._model.for_signature(key)
        if key is None or model is self._model:
            return runner_of_signature(model, key, request.infer)
        if key not in self._others:
            other = model.create_infer_request()
            self._join(model, other, request)
            self._others[key] = other
        return runner_of_signature(model, key, self._others[key].infer)

    def reset(self) -> None:
        """Resets all states to the initial values, the states of other signatures included."""
        for request in self._others.values():
            request.reset_state()
        self._values.update(self._initial)

    def _join(self, model: SignedModel, request: SyncRequest, owner: SyncRequest) -> None:
        """Shares the variables of a new request with the other graphs of the file that have them."""
        graph, names = model.graph, list[str]()
        for variable, state in zip(find_variables(graph), request.query_state(), strict=True):
            name = graph.resources.get(variable, "")
            names.append(name)
            if not name:
                continue
            value = state.value
            known = self._values.get(name)
            if known is not None and not state.info.takes(known):
                raise InputError(
                    f"{state.info.where} is {state.info.dtype.name} {list(state.info.shape)} in one signature of the "
                    f"file, {known.dtype} {list(known.shape)} in another: they cannot share it."
                )
            if known is None or (variable.data is not None and name not in self._assigned):
                self._values[name] = self._initial[name] = value
            if variable.data is not None:
                self._assigned.add(name)
        request.share_states(self._values, names, owner)
