"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

from ....delegate import RejectCode
from ..node import DirectNode
from ..table import Direct
from ..weights import bias_type, biased, weights_of

_LEAST, _MOST = 2, 5
"""Dimensions that BATCH_MATMUL takes."""


def fully_connected(node: DirectNode) -> None:
    """FULLY_CONNECTED, which keeps the dimensions where the kernel does."""
    weight = weights_of(node, (0, 1), channel=0)
    _product(node, weight.shape)
    flat = len(node.shape) == 2 and node.shape[0] == math.prod(node.x().shape) // weight.shape[1]
    keeps = node.x().rank != 2 or not flat
    fits = flat or node.shape == (*node.x().shape[:-1], weight.shape[0])
    node.wanted(fits and node.x().rank > 0, RejectCode.SHAPE, "rows of a matrix, or the input's", f"{node.shape}")
    bias = biased(node)
    kept: dict[str, Any] = {"keep_num_dims": True} if keeps and not flat else {}
    options = {**node.fused(), **kept, **bias_type(bias, node.x())}
    node.write("FULLY_CONNECTED", [node.x(), weight, *bias], "FullyConnectedOptions", **options)


def _product(node: DirectNode, shape: tuple[int, ...]) -> None:
    depth = shape[1]
    fits = depth > 0 and node.x().rank > 0 and (node.x().shape[-1] == depth or not node.attribute("use_axis"))
    node.wanted(fits, RejectCode.SHAPE, "rows as long as the weights'", f"{node.x().shape} by {shape}")


def matmul(node: DirectNode) -> None:
    """BATCH_MATMUL; FULLY_CONNECTED where there is a bias or an activation and one constant matrix."""
    a, second = node.x(), node.source(1)
    ranks = (a.rank, len(second.shape))
    node.wanted(
        min(ranks) >= _LEAST and max(ranks) <= _MOST, RejectCode.RANK, "factors of 2 to 5 dimensions", f"{ranks}"
    )
    node.wanted(0 not in (*a.shape, *second.shape), RejectCode.SHAPE, "factors with elements")
    plain = not node.has(2) and node.attribute("activation_type") == 0
    several = len(second.quant_params) > 1
    if second.is_const and ranks[1] == 2 and not node.attribute("transpose_a") and (not plain or several):
        _as_fully_connected(node)
        return
    node.wanted(plain, RejectCode.ATTRIBUTE, "products of matrices have no bias and no activation")
    turned: dict[str, Any] = {
        "adj_x": bool(node.attribute("transpose_a")),
        "adj_y": bool(node.attribute("transpose_b")),
    }
    node.wanted(not several, RejectCode.DTYPE, "factors have one scale")
    node.write("BATCH_MATMUL", [a, node.x(1)], "BatchMatMulOptions", **turned)


def _as_fully_connected(node: DirectNode) -> None:
    turned = bool(node.attribute("transpose_b"))
    order, kept = ((0, 1), 0) if turned else ((1, 0), 1)
    weight = weights_of(node, order, channel=0, kept=kept)
    fits = not node.has(2) or math.prod(node.source(2).shape) == weight.shape[0]
    node.wanted(fits, RejectCode.SHAPE, "a bias for each column")
    flat: dict[str, Any] = {"keep_num_dims": True} if len(node.shape) > 2 else {}
    bias = [] if not node.has(2) else biased(node)
    if bias and bias[0].rank != 1:
        bias = [node.builtins.reshape(bias[0], (weight.shape[0],))]
    operands = [node.x(), weight, *bias]
    node.write("FULLY_CONNECTED", operands, "FullyConnectedOptions", **node.fused(), **flat)


WRITERS: dict[str, Direct] = {"FullConnection": fully_connected, "MatMulFusion": matmul}
"""Writers of this file by our names of operators."""
