"""The table of fast kernels: a node runs on the one here of its operator if it is there for the node."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import ALL_KERNELS, ReferenceKernel
from lite_delegate_kernels.quantized import quantized_kernels

from . import (
    op_activation,
    op_adder_fusion,
    op_arg_max_fusion,
    op_arg_min_fusion,
    op_avg_pool_fusion,
    op_conv2d_fusion,
    op_conv2d_transpose_fusion,
    op_elu,
    op_erf,
    op_glu,
    op_layer_norm_fusion,
    op_leaky_relu,
    op_matmul_fusion,
    op_max_pool_fusion,
    op_prelu_fusion,
    op_softmax,
    op_top_k_fusion,
)
from ._ufuncs import as_ufunc, fast_relu, fused_ufunc
from .fast_kernel import FastKernel, FastKernels, quantized_form

UFUNCS = {
    "Abs": np.absolute,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Equal": np.equal,
    "Floor": np.floor,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Log": np.log,
    "Log1p": np.log1p,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Neg": np.negative,
    "NotEqual": np.not_equal,
    "Reciprocal": np.reciprocal,
    "Sin": np.sin,
    "Sqrt": np.sqrt,
    "Square": np.square,
}
"""Operators that are one numpy function: their nodes are bound to it."""
FUSED_UFUNCS = {"AddFusion": np.add, "MulFusion": np.multiply, "SubFusion": np.subtract}
"""Operators that are one numpy function and a fused activation."""
FUSED_RELU = ("DivFusion", "FullConnection", "L2NormalizeFusion", "ScaleFusion")
"""Operators whose fused RELU is the slow part of their reference kernel."""

_REFERENCE: dict[str, ReferenceKernel] = {k.op_type: k for k in ALL_KERNELS}

ALL_FAST_KERNELS: tuple[FastKernel, ...] = (
    op_activation.KERNEL,
    op_adder_fusion.KERNEL,
    op_arg_max_fusion.KERNEL,
    op_arg_min_fusion.KERNEL,
    op_avg_pool_fusion.KERNEL,
    op_conv2d_fusion.KERNEL,
    op_conv2d_transpose_fusion.KERNEL,
    op_elu.KERNEL,
    op_erf.KERNEL,
    op_glu.KERNEL,
    op_layer_norm_fusion.KERNEL,
    op_leaky_relu.KERNEL,
    op_matmul_fusion.KERNEL,
    op_max_pool_fusion.KERNEL,
    op_prelu_fusion.KERNEL,
    op_softmax.KERNEL,
    op_top_k_fusion.KERNEL,
    *(as_ufunc(_REFERENCE[op_type], ufunc) for op_type, ufunc in UFUNCS.items()),
    *(fused_ufunc(_REFERENCE[op_type], ufunc) for op_type, ufunc in FUSED_UFUNCS.items()),
    *(fast_relu(_REFERENCE[op_type]) for op_type in FUSED_RELU),
)
_FAST: dict[str, FastKernel] = {k.op_type: k for k in ALL_FAST_KERNELS}

ALL_FAST_QUANTIZED_KERNELS: tuple[FastKernel, ...] = tuple(
    quantized_form(_FAST[form.op_type], form) for form in quantized_kernels(ALL_FAST_KERNELS)
)
FAST_KERNELS = FastKernels(ALL_FAST_KERNELS, ALL_FAST_QUANTIZED_KERNELS)
