"""ONNX models of runs as the plugin compiles them."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Boundary, DelegateModel, Kernel
from ..lowering import Term
from ..onnxruntime.emitting.emitter import OnnxEmitter
from ..onnxruntime.graph import SharedSession
from ..onnxruntime.model_builder import OnnxModelBuilder
from ..onnxruntime.sessions.layers import WholeModel
from ..onnxruntime.sessions.session import SessionSettings
from ..rewriting import write_run
from .graph import QnnSession


class QnnModelBuilder(OnnxModelBuilder):
    """Makes ONNX models for the plugin, whose inputs and outputs have the names of the run's.

    Plans for other shapes share no session: the HTP's programs are for one set of shapes.
    """

    def prepared(
        self, name: str, run: Sequence[Kernel], boundary: Boundary, model: DelegateModel, settings: SessionSettings
    ) -> SharedSession:
        """A run as one model.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        outputs = [tensor.name for tensor in boundary.outputs]
        emitter = OnnxEmitter(name, keeps_names=True, outputs=outputs)
        return self.alone(name, emitter, write_run(run, boundary, emitter, self.forms(settings)), settings)

    def alone(
        self, name: str, emitter: OnnxEmitter, outputs: Sequence[Term], settings: SessionSettings
    ) -> SharedSession:
        """The model's bytes, and the constants that are not in them."""
        return QnnSession(WholeModel(emitter.finish(outputs), emitter.outside, emitter.written), settings)
