"""The table of fast kernels: a node runs on the one here of its operator if it is there for the node."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from lite_delegate_kernels.built_in import built_in_kernels

from .fast_kernel import FastKernel

FILES = {
    "Activation": "activation",
    "AdderFusion": "adder_fusion",
    "ArgMaxFusion": "arg_max_fusion",
    "ArgMinFusion": "arg_min_fusion",
    "AvgPoolFusion": "avg_pool_fusion",
    "Conv2DFusion": "conv2d_fusion",
    "Conv2dTransposeFusion": "conv2d_transpose_fusion",
    "Elu": "elu",
    "Erf": "erf",
    "GLU": "glu",
    "LayerNormFusion": "layer_norm_fusion",
    "LeakyRelu": "leaky_relu",
    "MatMulFusion": "matmul_fusion",
    "MaxPoolFusion": "max_pool_fusion",
    "PReLUFusion": "prelu_fusion",
    "Softmax": "softmax",
    "TopKFusion": "top_k_fusion",
}
"""Operators with a file of their own, and its name without ``op_``."""
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

ALL_FAST_KERNELS: tuple[FastKernel, ...]


def __getattr__(name: str) -> Any:
    """The table, made when it is first asked for: that imports all files of operators."""
    if name == "ALL_FAST_KERNELS":
        return _all()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


@cache
def _all() -> tuple[FastKernel, ...]:
    found = [fast_kernel(op_type) for op_type in (*FILES, *UFUNCS, *FUSED_UFUNCS, *FUSED_RELU)]
    return tuple(kernel for kernel in found if kernel is not None)


@cache
def fast_kernel(op_type: str) -> FastKernel | None:
    """The fast kernel of an operator, imported when it is first asked for; None where there is none."""
    if op_type in FILES:
        made: FastKernel = import_module(f".op_{FILES[op_type]}", __package__).KERNEL
        return made
    reference = built_in_kernels().find(op_type) if op_type in (*UFUNCS, *FUSED_UFUNCS, *FUSED_RELU) else None
    if reference is None:
        return None
    from ._ufuncs import as_ufunc, fast_relu, fused_ufunc

    if op_type in UFUNCS:
        return as_ufunc(reference, UFUNCS[op_type])
    return fused_ufunc(reference, FUSED_UFUNCS[op_type]) if op_type in FUSED_UFUNCS else fast_relu(reference)
