"""ONNX's matrix products: MatMul, Gemm."""

from __future__ import annotations

from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ..conversion import Converter, OnnxNode


def product(node: OnnxNode, a: Value, b: Value) -> Value:
    """``a @ b`` as numpy defines it for vectors: their dimension of 1 is dropped again."""
    ranks = node.rank(a), node.rank(b)
    if ranks == (1, 1):
        return node.emit("MatMulFusion", a, b)
    left = node.unsqueeze(a, [0]) if ranks[0] == 1 else a
    right = node.unsqueeze(b, [1]) if ranks[1] == 1 else b
    y = node.emit("MatMulFusion", left, right)
    if ranks[0] == 1:
        return node.squeeze(y, [-2])
    return node.squeeze(y, [-1]) if ranks[1] == 1 else y


def _matmul(node: OnnxNode) -> Value:
    return product(node, node.x(0), node.x(1))


def _gemm(node: OnnxNode) -> Value:
    a, b, c = node.x(0), node.x(1), node.optional(2)
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    turned = {"transpose_a": bool(node.get("transA", 0)), "transpose_b": bool(node.get("transB", 0))}
    if c is not None and alpha == beta == 1.0 and _is_bias(node, c, b, turned["transpose_b"]):
        return node.emit("MatMulFusion", a, b, c, **turned)
    y = node.emit("MatMulFusion", a, b, **turned)
    if alpha != 1.0:
        y = node.emit("MulFusion", y, node.scalar(alpha, y))
    if c is None:
        return y
    return node.emit("AddFusion", y, c if beta == 1.0 else node.emit("MulFusion", c, node.scalar(beta, c)))


def _is_bias(node: OnnxNode, c: Value, b: Value, transposed: bool) -> bool:
    """True where ``c`` is one number per column of the product, which the operator adds itself."""
    columns = node.dims(b)[0 if transposed else 1]
    shape = node.spec(c).shape
    return shape == (columns,) and columns != UNKNOWN


CONVERTERS: dict[str, Converter] = {"Gemm": _gemm, "MatMul": _matmul}
