"""LayerNormFusion: claimed with scale and shift or without, and with the statistics as outputs or without."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import LayerNormFusion
from ..profiles import Profile
from ..semantics.operands import normalized, operand, primitive_of, required
from ._check import SupportCheck
from ._moments import check_epsilon
from .gate import check_axis, check_operands, check_range, check_tensors


def check_layer_norm_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    primitive = primitive_of(kernel, LayerNormFusion)
    return (
        check_operands(kernel, 1, 3, outputs=3 if len(kernel.outputs) == 3 else 1)
        or check_tensors(kernel, profile)
        or check_axis("begin_norm_axis", primitive.begin_norm_axis, len(kernel.inputs[0].shape))
        or check_axis("begin_params_axis", primitive.begin_params_axis, len(kernel.inputs[0].shape))
        or _check_parameters(kernel, primitive)
        or _check_outputs(kernel, primitive)
        or check_epsilon(primitive.epsilon, profile.limits.moments_epsilon)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_parameters(kernel: Kernel, primitive: LayerNormFusion) -> Rejected | None:
    x, gamma, beta = required(kernel, 0), operand(kernel, 1), operand(kernel, 2)
    if (gamma is None) != (beta is None):
        return Rejected(RejectCode.ATTRIBUTE, "gamma and beta (inputs 1 and 2) must be given both or neither")
    covered = x.shape[normalized(primitive.begin_params_axis, len(x.shape)) :]
    for position, tensor in ((1, gamma), (2, beta)):
        if tensor is not None and tensor.shape != covered:
            return Rejected(RejectCode.SHAPE, f"input {position} must have shape {covered}, has {tensor.shape}")
    return None


def _check_outputs(kernel: Kernel, primitive: LayerNormFusion) -> Rejected | None:
    shape = required(kernel, 0).shape
    groups = shape[: normalized(primitive.begin_norm_axis, len(shape))]
    for position, (out, wanted) in enumerate(zip(kernel.outputs, (shape, groups, groups), strict=False)):
        if out.shape != wanted:
            return Rejected(RejectCode.SHAPE, f"output {position} must have shape {wanted}, has {out.shape}")
    return None


CHECK = SupportCheck("LayerNormFusion", check_layer_norm_fusion)
