"""MaxPoolFusion: one pooling instruction with its activation."""

from __future__ import annotations

import math

import numpy as np

from ...delegate import Kernel
from ...ir.data_type import DataType
from ...ir.primitives import MaxPoolFusion
from ..device.functions import UNFUSED, Fused, FusedFunction
from ..device.pooling import MaxPool
from ..device.program import ElementType
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import fused_or_none
from ..semantics.geometry import pool_sliding, window_of
from ..semantics.operands import primitive_of, required

FROM_LOWEST_HALF = Fused(FusedFunction.CLAMP, (float(np.finfo(np.float16).min), math.inf))
"""A window of -inf alone gives the lowest number of the tensor's type, also where the device keeps a wider one."""


def lower_max_pool_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction on the NCHW input."""
    primitive, x = primitive_of(kernel, MaxPoolFusion), required(kernel, 0)
    window = window_of(pool_sliding(primitive, x.shape), x.shape)
    fused = fused_or_none(primitive.activation_type)
    if fused == UNFUSED and x.dtype == DataType.FLOAT16 and builder.floating is ElementType.FLOAT32:
        fused = FROM_LOWEST_HALF
    builder.define_nchw(kernel.outputs[0], MaxPool(window, fused), [builder.read_nchw(x)])


LOWERING = Lowering("MaxPoolFusion", lower_max_pool_fusion)
