"""Graph kernels of ONNX Runtime as bytes: the model that ONNX Runtime optimized, and its large constants."""

from __future__ import annotations

from typing import Any

from ..packed import packed, unpacked
from .graph import Prepared
from .layers import WholeModel, WrittenLayer
from .session import SessionSettings, optimized, session_of_file

KIND = "ONNX Runtime 2"


class Imported(Prepared):
    """An optimized model, and the session that is made of it.

    Args:
        model: without these constants.
        weights: the constants that are not in them, which may be a mapped file.
        settings: of the session.
    """

    def __init__(self, model: WholeModel, weights: memoryview, settings: SessionSettings) -> None:
        super().__init__(model, settings)
        self.weights = weights

    def made_session(self, settings: SessionSettings) -> Any:
        """A session."""
        return session_of_file(self.model.content, self.weights, settings)


def exported(prepared: Prepared) -> bytes:
    """The bytes of what ONNX Runtime made of a model.

    Raises:
        DelegateBuildError: ONNX Runtime cannot write it, as with providers that compile.
    """
    settings, whole = prepared.settings, prepared.whole()
    layers = {result: [each.name, each.type, each.inputs] for result, each in whole.written.items()}
    description = {"config": dict(settings.config), "threads": settings.threads, "layers": layers}
    if isinstance(prepared, Imported):
        return packed(KIND, description, (whole.content, bytes(prepared.weights)))
    return packed(KIND, description, optimized(whole.content, whole.outside, settings))


def imported(data: memoryview, settings: SessionSettings) -> Imported:
    """What ``exported`` gave, not loaded yet.

    Raises:
        ModelFormatError: the bytes are not of this kind.
    """
    description, (model, weights) = unpacked(KIND, data)
    layers = description["layers"].items()
    written = {result: WrittenLayer(name, op, tuple(inputs)) for result, (name, op, inputs) in layers}
    settings = settings.as_before(description["config"], description["threads"])
    return Imported(WholeModel(bytes(model), {}, written), weights, settings)
