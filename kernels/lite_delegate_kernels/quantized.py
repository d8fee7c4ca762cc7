"""The kernels of nodes that run on quantized integers (``QUANT_ALL``), made from the float kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ._kernel import ReferenceKernel
from ._quantized_arithmetic import quantized_product, quantized_sum
from ._quantized_dense import ChannelAxis, Terms, quantized_dense
from ._quantized_dynamic import also_dynamic
from ._quantized_float import as_stored, by_movement, element_by_element, through_floats
from ._quantized_pooling import quantized_pool
from ._quantized_wide import activation_table, by_table, softmax_table

Make = Callable[[ReferenceKernel], ReferenceKernel]
Attributes = dict[str, Any]

ELEMENT_BY_ELEMENT = (
    *("Abs", "Ceil", "Cos", "Elu", "Erf", "ExpFusion", "Floor", "LeakyRelu", "Log", "Log1p", "Neg"),
    *("Reciprocal", "Round", "Rsqrt", "Sin", "Sqrt", "Square"),
)
MOVEMENT = (
    *("BatchToSpace", "BatchToSpaceND", "BroadcastTo", "Concat", "Crop", "DepthToSpace", "ExpandDims", "Flatten"),
    *("Gather", "GatherNd", "Reshape", "ReverseV2", "SliceFusion", "SpaceToDepth", "Split", "Squeeze", "Stack"),
    *("StridedSlice", "TileFusion", "Transpose", "Unsqueeze", "Unstack"),
)
THROUGH_FLOATS = (
    *("ArgMaxFusion", "ArgMinFusion", "BatchNorm", "BiasAdd", "Clip", "DetectionPostProcess", "DivFusion", "Eltwise"),
    *("Equal", "FusedBatchNorm", "Greater", "GreaterEqual", "InstanceNorm", "L2NormalizeFusion", "LayerNormFusion"),
    *("Less", "LessEqual", "LogSoftmax", "LRN", "Maximum", "Minimum", "NotEqual", "PadFusion"),
    *("PowFusion", "PReLUFusion", "RealDiv", "ReduceFusion", "Resize", "ScaleFusion"),
    *("SpaceToBatch", "SpaceToBatchND", "SquaredDifference", "TopKFusion"),
)
AS_STORED = ("Cast", "Rank", "Shape", "Size")
"""NOTE: Cast of a quantized array converts the integers, as TensorFlow Lite does; QuantDTypeCast their meaning."""


def quantized_kernels(kernels: Sequence[ReferenceKernel]) -> tuple[ReferenceKernel, ...]:
    """The quantized forms of float kernels, by operator type.

    NOTE: MindSpore Lite has int8 kernels for most of these operators; the others have one here so that models which
    other frameworks quantized whole can run.
    """
    found = [quantized_kernel(kernel) for kernel in sorted(kernels, key=lambda kernel: kernel.op_type)]
    return tuple(kernel for kernel in found if kernel is not None)


def quantized_kernel(kernel: ReferenceKernel) -> ReferenceKernel | None:
    """The quantized form of a float kernel, None where its operator has none."""
    make = _makers().get(kernel.op_type)
    return None if make is None else make(kernel)


@cache
def _makers() -> dict[str, Make]:
    return {
        **dict.fromkeys(ELEMENT_BY_ELEMENT, element_by_element),
        **dict.fromkeys(MOVEMENT, by_movement),
        **dict.fromkeys(THROUGH_FLOATS, through_floats),
        **dict.fromkeys(AS_STORED, as_stored),
        **_OWN,
    }


def _kernels_first(rank: int, attributes: Attributes) -> int:
    return 0


def _kernels_last(rank: int, attributes: Attributes) -> int:
    return rank - 1


def _matrix_columns(rank: int, attributes: Attributes) -> int:
    return max(0, rank - 2) if attributes.get("transpose_b", False) else rank - 1


def _all_but_first(shape: tuple[int, ...], attributes: Attributes) -> int:
    return prod(shape[1:])


def _all_but_last(shape: tuple[int, ...], attributes: Attributes) -> int:
    return prod(shape[:-1])


def _rows(shape: tuple[int, ...], attributes: Attributes) -> int:
    return max(shape, default=1)


WEIGHTED: dict[str, tuple[ChannelAxis, Terms]] = {
    "Conv2DFusion": (_kernels_first, _all_but_first),
    "Conv2dTransposeFusion": (_kernels_last, _all_but_last),
    "FullConnection": (_kernels_first, _all_but_first),
    "MatMulFusion": (_matrix_columns, _rows),
}
"""Operators with weights: the dimension of the output channels, and the products that an output element adds up."""


def _dense(kernel: ReferenceKernel) -> ReferenceKernel:
    return quantized_dense(kernel, *WEIGHTED[kernel.op_type])


_OWN: dict[str, Make] = {
    "Activation": lambda kernel: by_table(element_by_element(kernel), activation_table),
    "Softmax": lambda kernel: by_table(through_floats(kernel), softmax_table),
    "Conv2DFusion": _dense,
    "Conv2dTransposeFusion": _dense,
    "FullConnection": lambda kernel: quantized_dense(kernel, *WEIGHTED["FullConnection"], once=True),
    "MatMulFusion": lambda kernel: also_dynamic(_dense(kernel), kernel, _matrix_columns),
    "AddFusion": lambda kernel: quantized_sum(kernel.op_type, np.add),
    "SubFusion": lambda kernel: quantized_sum(kernel.op_type, np.subtract),
    "MulFusion": lambda kernel: quantized_product(kernel.op_type),
    "AvgPoolFusion": lambda kernel: quantized_pool(kernel, rounds=True),
    "MaxPoolFusion": lambda kernel: quantized_pool(kernel, rounds=False),
}
