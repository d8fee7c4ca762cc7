"""MatMulFusion: claimed for matrices and batches of them, within the device's limit on their sizes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import MatMulFusion
from ..ops.op_matmul_fusion import product_shape
from ..profiles import Profile
from ..semantics.operands import operand, primitive_of, required
from ._check import SupportCheck
from .gate import check_fused, check_operands, check_output_shape, check_range, check_rank, check_tensors


def check_matmul_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, range(1, profile.max_rank + 1))
        or check_rank(kernel, 1, range(1, profile.max_rank + 1))
        or check_fused(primitive_of(kernel, MatMulFusion).activation_type)
        or check_output_shape(kernel, _output_shape(kernel))
        or _check_bias(kernel)
        or _check_dims(kernel, profile.limits.matmul_max_dim)
        or check_range(kernel, profile)
        or Supported()
    )


def _output_shape(kernel: Kernel) -> tuple[int, ...] | None:
    """The shape of the product; two vectors give a scalar, and cannot be transposed."""
    if len(required(kernel, 0).shape) == len(required(kernel, 1).shape) == 1:
        primitive = primitive_of(kernel, MatMulFusion)
        fits = product_shape(kernel) is not None and not primitive.transpose_a and not primitive.transpose_b
        return () if fits else None
    return product_shape(kernel)


def _check_bias(kernel: Kernel) -> Rejected | None:
    """The bias has one element per column, after any number of ones."""
    bias, product = operand(kernel, 2), product_shape(kernel)
    if bias is None or product is None:
        return None
    columns = product[-1]
    if bias.shape and bias.shape[-1] == columns and all(size == 1 for size in bias.shape[:-1]):
        return None
    return Rejected(RejectCode.SHAPE, f"bias must have shape [{columns}] after ones, has {bias.shape}")


def _check_dims(kernel: Kernel, limit: int | None) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU looks at the first operand only."""
    shapes = [required(kernel, 0).shape, required(kernel, 1).shape]
    largest = max(max(shape) for shape in shapes)
    if limit is None or max(map(len, shapes)) <= 2 or largest <= limit:
        return None
    return Rejected(RejectCode.LIMIT, f"a dimension of batched operands may be {limit} at most, is {largest}")


CHECK = SupportCheck("MatMulFusion", check_matmul_fusion)
