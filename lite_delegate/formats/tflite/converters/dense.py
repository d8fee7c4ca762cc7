"""Matrix products, and lookups in tables."""

from __future__ import annotations

from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..quantization import is_quantized
from ..tensors.layout import enum_names
from .activation import fused_node


def fully_connected(c: OperatorConversion) -> None:
    """FullConnection; the weights must be in the default layout."""
    options, weight, bias = c.option("FullyConnectedOptions"), c.x(1), c.optional(2)
    layout = enum_names("FullyConnectedOptionsWeightsFormat").get(options["weights_format"])
    c.reject_unless(layout == "DEFAULT", Why.ATTRIBUTE, f"weights must stand as rows of outputs, found {layout}")
    c.channels(weight, 0)
    keep = {"use_axis": True, "axis": -1} if options["keep_num_dims"] else {}
    fused_node(
        c,
        "FullConnection",
        [c.x(), weight, bias],
        c.y(),
        options["fused_activation_function"],
        has_bias=bias is not None,
        **keep,
    )


def batch_matmul(c: OperatorConversion) -> None:
    """MatMulFusion."""
    options, right = c.option("BatchMatMulOptions"), c.x(1)
    c.channels(right, max(0, c.rank(right) - (2 if options["adj_y"] else 1)))
    c.node("MatMulFusion", [c.x(), right], c.y(), transpose_a=options["adj_x"], transpose_b=options["adj_y"])


def embedding_lookup(c: OperatorConversion) -> None:
    """Gather along the first dimension, and QuantDTypeCast behind it where the table has integers and one scale."""
    ids, table, y = c.x(), c.x(1), c.y()
    rows = y
    if is_quantized(table) and y.dtype == DataType.FLOAT32:
        one = len(table.quant_params) == 1
        c.reject_unless(one, Why.DTYPE, "a table of integers must have one scale")
        rows = c.between(y, "integers", table.dtype)
        rows.quant_params = table.quant_params
    c.node("Gather", [table, ids, c.constant("axis", [0])], rows)
    if rows is not y:
        c.plain_node("QuantDTypeCast", [rows], [y], src_t=int(rows.dtype), dst_t=int(y.dtype))


CONVERTERS: dict[str, Converter] = {
    "FULLY_CONNECTED": fully_connected,
    "BATCH_MATMUL": batch_matmul,
    "EMBEDDING_LOOKUP": embedding_lookup,
}
"""Converters of this file by the schema's names."""
