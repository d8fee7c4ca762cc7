"""Which quantized kernels may be claimed: one file per operator, or per family of operators that are alike."""

from __future__ import annotations

from ...ops.quantized.elementwise import ELEMENTWISE
from ...ops.quantized.movement import MOVEMENT
from ...ops.quantized.reals import THROUGH_REALS
from .. import ALL_CHECKS
from .._check import SupportCheck
from . import (
    op_add_fusion,
    op_avg_pool_fusion,
    op_conv2d_fusion,
    op_conv2d_transpose_fusion,
    op_full_connection,
    op_matmul_fusion,
    op_max_pool_fusion,
    op_mul_fusion,
    op_quant_dtype_cast,
    op_sub_fusion,
)
from .elementwise import by_table
from .movement import by_movement
from .reals import through_reals

ALL_QUANTIZED_CHECKS: tuple[SupportCheck, ...] = (
    op_add_fusion.CHECK,
    op_avg_pool_fusion.CHECK,
    op_conv2d_fusion.CHECK,
    op_conv2d_transpose_fusion.CHECK,
    op_full_connection.CHECK,
    op_matmul_fusion.CHECK,
    op_max_pool_fusion.CHECK,
    op_mul_fusion.CHECK,
    op_quant_dtype_cast.CHECK,
    op_sub_fusion.CHECK,
    *(by_table(entry) for entry in ALL_CHECKS if entry.op_type in ELEMENTWISE),
    *(by_movement(entry) for entry in ALL_CHECKS if entry.op_type in MOVEMENT),
    *(through_reals(entry) for entry in ALL_CHECKS if entry.op_type in THROUGH_REALS),
)
"""Every operator that may be claimed in quantized form: those of the families by their check for real numbers."""
