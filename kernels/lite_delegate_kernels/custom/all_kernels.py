"""Every kernel of Custom nodes."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from .._kernel import ReferenceKernel

OPERATORS = (
    "acos",
    "affine_grid",
    "asin",
    "atan",
    "batch_normalization",
    "bit_cast",
    "cast",
    "col2im",
    "conv",
    "conv_integer",
    "conv_transpose",
    "cum_prod",
    "deform_conv",
    "det",
    "dft",
    "dropout",
    "dynamic_quantize_linear",
    "einsum",
    "grid_sample",
    "gru",
    "lstm",
    "mat_mul_integer",
    "max_unpool",
    "mediapipe_landmarks2_transform_matrix_v1",
    "mediapipe_landmarks2_transform_matrix_v2",
    "mediapipe_max_pooling_argmax_2d",
    "mediapipe_max_unpooling_2d",
    "mediapipe_transform_landmarks",
    "mediapipe_transform_tensor_bilinear",
    "mel_weight_matrix",
    "org_openvinotoolkit_ctc_greedy_decoder",
    "reshape",
    "rnn",
    "roi_align",
    "scatter_elements",
    "scatter_nd",
    "stft",
    "tf_idf_vectorizer",
    "tflite_atan2",
    "tflite_bitwise_xor",
    "tflite_conv_3d",
    "tflite_right_shift",
    "tflite_unsorted_segment_max",
    "tflite_unsorted_segment_min",
    "tflite_unsorted_segment_prod",
    "unique",
)
"""The files of operators, without their ``op_``."""

ALL_CUSTOM_KERNELS: tuple[ReferenceKernel, ...]


def __getattr__(name: str) -> Any:
    """The table, made when it is first asked for: that imports all files of operators."""
    if name == "ALL_CUSTOM_KERNELS":
        return _all()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


@cache
def _all() -> tuple[ReferenceKernel, ...]:
    return tuple(import_module(f".op_{name}", __package__).KERNEL for name in OPERATORS)
