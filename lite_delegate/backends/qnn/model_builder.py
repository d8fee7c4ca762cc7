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
from ..rewriting import Rewrite, write_run
from .forms import (
    count_places,
    give_own_weights,
    move_signs,
    order_equals,
    reach_bounds,
    write_blocks,
    write_error_functions,
    write_hard_sigmoids,
)
from .graph import QnnSession

FORMS = (
    move_signs,
    write_blocks,
    order_equals,
    count_places,
    give_own_weights,
    write_hard_sigmoids,
    write_error_functions,
    reach_bounds,
)
"""Operators as the HTP has them."""


class QnnModelBuilder(OnnxModelBuilder):
    """Makes ONNX models for the plugin, whose inputs and outputs have the names of the run's.

    Plans for other shapes share no session: the HTP's programs are for one set of shapes.
    """

    def forms(self, settings: SessionSettings) -> Sequence[Rewrite]:
        """The forms of a trial: what is taken in a trial is taken in a run of one kernel, too."""
        return self.trial_forms(settings)

    def trial_forms(self, settings: SessionSettings) -> Sequence[Rewrite]:
        """Operators as the HTP has them, and the forms that providers of integers take."""
        return (*FORMS, *super().trial_forms(settings))

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
