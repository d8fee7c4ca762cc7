"""MaxPoolFusion: one pooling instruction with its activation."""

from __future__ import annotations

import math

import numpy as np

from ...delegate import Kernel, Rejected
from ...ir.primitives import MaxPoolFusion
from ...ir.types.data_type import DataType
from ...semantics.geometry import pool_sliding
from ...semantics.operands import primitive_of, required
from ..device.instructions.functions import UNFUSED, Fused, FusedFunction
from ..device.instructions.pooling import MaxPool
from ..device.instructions.quantized_pooling import QuantizedMaxPool
from ..device.programs.program import ElementType
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import fused_or_none
from ..semantics.windows import window_of
from ._pooling import check_pool
from .gate import check_range
from .quantized.pooling import lower_pool
from .quantized.stored import check_stored
from .record import Form, NpuOperator

FROM_LOWEST_HALF = Fused(FusedFunction.CLAMP, (float(np.finfo(np.float16).min), math.inf))
"""A window of -inf alone gives the lowest number of the tensor's type, also where the device keeps a wider one."""


def check_max_pool_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_pool(kernel, profile, primitive_of(kernel, MaxPoolFusion)) or check_range(kernel, profile)


def lower_max_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction on the NCHW input."""
    primitive, x = primitive_of(kernel, MaxPoolFusion), required(kernel, 0)
    window = window_of(pool_sliding(primitive, x.shape), x.shape)
    fused = fused_or_none(primitive.activation_type)
    if fused == UNFUSED and x.dtype == DataType.FLOAT16 and builder.floating is ElementType.FLOAT32:
        fused = FROM_LOWEST_HALF
    builder.define_nchw(kernel.outputs[0], MaxPool(window, fused), [builder.read_nchw(x)])


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    return check_stored(kernel, profile, check_max_pool_fusion, primitive_of(kernel, MaxPoolFusion).activation_type)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    lower_pool(kernel, builder, primitive_of(kernel, MaxPoolFusion), QuantizedMaxPool)


OPERATOR = NpuOperator(
    "MaxPoolFusion",
    check_max_pool_fusion,
    lower_max_pool_fusion,
    takes="real",
    condition=(
        "for rank 4, where each window covers some of the input; other fused activations than "
        "RELU and RELU6 count as none, as on the CPU"
    ),
    quantized=Form(check_quantized, lower_quantized),
)
