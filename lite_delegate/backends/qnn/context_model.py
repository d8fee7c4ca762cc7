"""Context models: ONNX models with the program that Qualcomm's compiler made for one chip, in an EPContext node."""

from __future__ import annotations

from typing import Any

from ...errors import DelegateBuildError
from ..onnxruntime.plugins.standard_output import away_from_standard_output
from ..onnxruntime.sessions.layers import WholeModel
from ..onnxruntime.sessions.session import SessionSettings, add_provider, hand_over, options_of, runtime


def context_model(whole: WholeModel, settings: SessionSettings) -> bytes:
    """The context model that the plugin compiles a model to; weights and program are in its bytes.

    Args:
        whole: the ONNX model.
        settings: the settings of the session, whose options name the chip.

    Raises:
        DelegateBuildError: the plugin does not compile the model, or not all of it.
    """
    ort = runtime()
    options = options_of(whole.content, settings)
    hand_over(whole.outside, options)
    add_provider(options, settings)
    try:
        with away_from_standard_output():
            compiler: Any = ort.ModelCompiler(
                options,
                whole.content,
                embed_compiled_data_into_model=True,
                graph_optimization_level=ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
            )
            return bytes(compiler.compile_to_bytes())
    except Exception as e:  # ONNX Runtime's exceptions have no common type
        raise DelegateBuildError(f"ONNX Runtime cannot compile the model for the chip: {str(e).strip()}") from e
