"""The graph kernel of a session on Qualcomm's HTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...delegate import LayerTime, current_wishes
from ...tensors.tensor import Array
from ..onnxruntime.graph import OnnxRuntimeGraph, SharedSession
from ..onnxruntime.sessions.layers import WholeModel, WrittenLayer
from ..onnxruntime.sessions.session import SessionSettings, check_used, session_of
from ..packed import packed, unpacked
from .context_model import context_model
from .cycles import measured_layers

KIND = "QNN 1"
EMULATED = "HTP emulator"


class QnnSession(SharedSession):
    """A session whose layers are measured in the HTP's cycles."""

    def layers(self, inputs: Sequence[Array]) -> list[LayerTime]:
        """The times and cycles of the layers, measured at the first call for inputs of these shapes."""
        written = self.whole().written
        return self.counter.layers(
            inputs, lambda: measured_layers(self.settings, self.made_session, written, inputs, EMULATED)
        )


class ContextSession(QnnSession):
    """A session of a context model.

    Args:
        content: the bytes of the context model.
        written: the layers that the model's nodes were written for, by the name of their first result.
        places: the providers that ran the kernels when the model was compiled, by the kernels' names.
        settings: the settings of the session.
    """

    def __init__(
        self,
        content: bytes,
        written: Mapping[str, WrittenLayer],
        places: Mapping[str, str],
        settings: SessionSettings,
    ) -> None:
        super().__init__(WholeModel(content, {}, written), settings)
        self.places = places

    def made_session(self, settings: SessionSettings) -> Any:
        """A session. Its only node is the compiled program, whose layers were the provider's when it was compiled."""
        session = session_of(self.model.content, {}, settings)
        check_used(session, settings)
        return session


class QnnGraph(OnnxRuntimeGraph):
    """One run as a session on the HTP."""

    runtime = "Qualcomm's HTP"
    kind = "QNN"


def context_of(shared: SharedSession) -> bytes:
    """The context model of a run.

    Raises:
        DelegateBuildError: the plugin does not compile the model.
    """
    if isinstance(shared, ContextSession):
        return shared.model.content
    return context_model(shared.whole(), shared.settings)


def exported(shared: SharedSession) -> bytes:
    """The bytes of a run: the context model, and what reports say of it.

    Raises:
        DelegateBuildError: the plugin does not compile the model.
    """
    layers = {result: [each.name, each.type, each.inputs] for result, each in shared.whole().written.items()}
    description = {"config": dict(shared.settings.config), "layers": layers, "places": dict(shared.places)}
    return packed(KIND, description, (context_of(shared),))


def imported(data: memoryview, settings: SessionSettings) -> ContextSession:
    """The session that ``exported`` wrote, not loaded yet.

    Raises:
        ModelFormatError: the bytes are not of this kind.
    """
    description, (content,) = unpacked(KIND, data)
    layers = description["layers"].items()
    written = {result: WrittenLayer(name, op, tuple(inputs)) for result, (name, op, inputs) in layers}
    settings = settings.completed(description["config"], current_wishes().threads)
    return ContextSession(bytes(content), written, description["places"], settings)
