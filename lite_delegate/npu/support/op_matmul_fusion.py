"""MatMulFusion: claimed for matrices and batches of them, within the device's limit on their sizes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import MatMulFusion
from ..broadcast import broadcast_shape
from ..operands import operand, primitive_of, required
from ..profiles import Profile
from ._check import SupportCheck
from .gate import check_fused, check_operands, check_output_shape, check_range, check_rank, check_tensors


def check_matmul_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, {2, 3, 4})
        or check_rank(kernel, 1, {2, 3, 4})
        or check_rank(kernel, 2, {1})
        or check_fused(primitive_of(kernel, MatMulFusion).activation_type)
        or check_output_shape(kernel, _product_shape(kernel))
        or _check_bias(kernel)
        or _check_dims(kernel, profile.limits.matmul_max_dim)
        or check_range(kernel, profile)
        or Supported()
    )


def _product_shape(kernel: Kernel) -> tuple[int, ...] | None:
    primitive = primitive_of(kernel, MatMulFusion)
    *batch_a, rows, terms = required(kernel, 0).shape
    *batch_b, terms_b, columns = required(kernel, 1).shape
    if primitive.transpose_a:
        rows, terms = terms, rows
    if primitive.transpose_b:
        terms_b, columns = columns, terms_b
    batch = broadcast_shape([tuple(batch_a), tuple(batch_b)])
    return None if batch is None or terms != terms_b else (*batch, rows, columns)


def _check_bias(kernel: Kernel) -> Rejected | None:
    bias, columns = operand(kernel, 2), kernel.outputs[0].shape[-1]
    if bias is None or bias.shape == [columns]:
        return None
    return Rejected(RejectCode.SHAPE, f"bias must have shape [{columns}], has {bias.shape}")


def _check_dims(kernel: Kernel, limit: int | None) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU looks at the first operand only."""
    shapes = [required(kernel, 0).shape, required(kernel, 1).shape]
    largest = max(max(shape) for shape in shapes)
    if limit is None or max(map(len, shapes)) <= 2 or largest <= limit:
        return None
    return Rejected(RejectCode.LIMIT, f"a dimension of batched operands may be {limit} at most, is {largest}")


CHECK = SupportCheck("MatMulFusion", check_matmul_fusion)
