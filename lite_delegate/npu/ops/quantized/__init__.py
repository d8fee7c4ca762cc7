"""How quantized kernels become instructions: one file per operator, or per family of operators that are alike."""

from __future__ import annotations

from ...ir.lowering import Lowering
from .. import ALL_LOWERINGS
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
from .elementwise import ELEMENTWISE, by_table
from .movement import MOVEMENT, by_movement
from .reals import THROUGH_REALS, through_reals

ALL_QUANTIZED_LOWERINGS: tuple[Lowering, ...] = (
    op_add_fusion.LOWERING,
    op_avg_pool_fusion.LOWERING,
    op_conv2d_fusion.LOWERING,
    op_conv2d_transpose_fusion.LOWERING,
    op_full_connection.LOWERING,
    op_matmul_fusion.LOWERING,
    op_max_pool_fusion.LOWERING,
    op_mul_fusion.LOWERING,
    op_quant_dtype_cast.LOWERING,
    op_sub_fusion.LOWERING,
    *(by_table(entry) for entry in ALL_LOWERINGS if entry.op_type in ELEMENTWISE),
    *(by_movement(entry) for entry in ALL_LOWERINGS if entry.op_type in MOVEMENT),
    *(through_reals(entry) for entry in ALL_LOWERINGS if entry.op_type in THROUGH_REALS),
)
"""Every operator that the compiler can lower in quantized form: those of the families by their float form."""
