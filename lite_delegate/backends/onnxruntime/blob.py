"""Graph kernels of ONNX Runtime as bytes: the model that ONNX Runtime optimized, and its large constants."""

from __future__ import annotations

from typing import Any

from ..packed import packed, unpacked
from .graph import Prepared
from .session import SessionSettings, optimized, session_of_file

KIND = "ONNX Runtime 1"


class Imported(Prepared):
    """An optimized model, and the session that is made of it.

    Args:
        model: its bytes.
        weights: the constants that are not in them, which may be a mapped file.
        settings: of the session.
    """

    def __init__(self, model: bytes, weights: memoryview, settings: SessionSettings) -> None:
        super().__init__(model, {}, settings)
        self._weights = weights

    def made_session(self) -> Any:
        """A session."""
        return session_of_file(self.model, self._weights, self.settings)


def exported(prepared: Prepared) -> bytes:
    """The bytes of what ONNX Runtime made of a model.

    Raises:
        DelegateBuildError: ONNX Runtime cannot write it, as with providers that compile.
    """
    settings = prepared.settings
    description = {"config": dict(settings.config), "threads": settings.threads}
    return packed(KIND, description, optimized(*prepared.whole(), settings))


def imported(data: memoryview, settings: SessionSettings) -> Imported:
    """What ``exported`` gave, not loaded yet.

    Raises:
        ModelFormatError: the bytes are not of this kind.
    """
    description, (model, weights) = unpacked(KIND, data)
    return Imported(bytes(model), weights, settings.as_before(description["config"], description["threads"]))
