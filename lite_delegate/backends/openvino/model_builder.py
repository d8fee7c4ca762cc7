"""OpenVINO's models of runs, and the claims for them, before anything is compiled."""

from __future__ import annotations

from collections.abc import Sequence

from ..lowering import Term
from ..rewriting import Rewrite
from ..run_builder import RunBuilder
from .emitting.attention import split_attention
from .emitting.emitter import OpenVINOEmitter
from .models.compiled import CompileSettings, SharedCompiledModel
from .open_models import OpenCompiledModel, SharedOpenModel


class OpenVINOModelBuilder(RunBuilder[OpenVINOEmitter, OpenCompiledModel, SharedCompiledModel, CompileSettings]):
    """Makes OpenVINO's models for one delegate."""

    def __init__(self) -> None:
        super().__init__(OpenVINOEmitter(), OpenCompiledModel, SharedOpenModel)

    def emitter(self, name: str, settings: CompileSettings) -> OpenVINOEmitter:
        """As the device multiplies integers."""
        return OpenVINOEmitter(settings.is_exact)

    def rewrites(self, settings: CompileSettings) -> Sequence[Rewrite]:
        """The rewrites for all devices."""
        return (split_attention,)

    def alone(
        self, name: str, emitter: OpenVINOEmitter, outputs: Sequence[Term], settings: CompileSettings
    ) -> SharedCompiledModel:
        """The model, not compiled yet."""
        return SharedCompiledModel(emitter.finish(name, outputs), settings)
