"""Graph kernels of ONNX Runtime as bytes: the optimized model, and its large constants."""

from __future__ import annotations

from typing import Any

from ...delegate import current_wishes
from ..packed import packed, unpacked
from .graph import SharedSession
from .sessions.assigned import places_of
from .sessions.layers import WholeModel, WrittenLayer
from .sessions.optimized import Optimized, optimized, session_of_optimized
from .sessions.outside import Constant
from .sessions.session import SessionSettings

KIND = "ONNX Runtime 4"


class ImportedSession(SharedSession):
    """An optimized model, and the session that is made from it.

    Args:
        kept: the model.
        written: the layers that its nodes were written for, by the name of their first result.
        settings: the settings of the session.
    """

    def __init__(self, kept: Optimized, written: dict[str, WrittenLayer], settings: SessionSettings) -> None:
        super().__init__(WholeModel(kept.content, {}, written), settings)
        self.kept = kept

    def made_session(self, settings: SessionSettings) -> Any:
        """A session."""
        session = session_of_optimized(self.kept, settings)
        self.places = places_of(session, settings, self.model.written)
        return session


def exported(prepared: SharedSession) -> bytes:
    """The bytes of a model that ONNX Runtime optimized.

    Raises:
        DelegateBuildError: ONNX Runtime cannot write it, as with providers that compile.
    """
    settings, whole = prepared.settings, prepared.whole()
    kept = prepared.kept if isinstance(prepared, ImportedSession) else optimized(whole.content, whole.outside, settings)
    description = {
        "config": dict(settings.config),
        "layers": {result: [each.name, each.type, each.inputs] for result, each in whole.written.items()},
        "constants": [[each.name, each.element, each.dims, each.offset, each.length] for each in kept.constants],
    }
    return packed(KIND, description, (kept.content, bytes(kept.weights)))


def imported(data: memoryview, settings: SessionSettings) -> ImportedSession:
    """The session that ``exported`` wrote, not loaded yet.

    Entries that the settings leave open are as they were, threads as the context says.

    Raises:
        ModelFormatError: the bytes are not of this kind.
    """
    description, (model, weights) = unpacked(KIND, data)
    layers = description["layers"].items()
    written = {result: WrittenLayer(name, op, tuple(inputs)) for result, (name, op, inputs) in layers}
    constants = [Constant(name, element, tuple(dims), *at) for name, element, dims, *at in description["constants"]]
    settings = settings.completed(description["config"], current_wishes().threads)
    return ImportedSession(Optimized(bytes(model), constants, weights), written, settings)
