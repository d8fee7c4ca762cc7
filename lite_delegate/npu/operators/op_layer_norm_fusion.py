"""LayerNormFusion: normalization of each group of elements by its own mean and variance."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import LayerNormFusion
from ...semantics.operands import normalized, operand, primitive_of, required, shape_of
from ..device.instructions.moments import NormalizeMoments
from ..device.instructions.movement import View
from ..device.instructions.reduction import Reduce, ReductionFunction
from ..ir.builder import Builder
from ..profiles import Profile
from ._moments import check_epsilon
from .gate import check_axis, check_operands, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_PARAMETERS, SHAPE_OF_RESULT


def check_layer_norm_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
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
    )


def _check_parameters(kernel: Kernel, primitive: LayerNormFusion) -> Rejected | None:
    x, gamma, beta = required(kernel, 0), operand(kernel, 1), operand(kernel, 2)
    if (gamma is None) != (beta is None):
        rule = "gamma and beta (inputs 1 and 2) must be given both or neither"
        return Rejected(RejectCode.ATTRIBUTE, rule, rule)
    covered = x.shape[normalized(primitive.begin_params_axis, len(x.shape)) :]
    for position, tensor in ((1, gamma), (2, beta)):
        if tensor is not None and tensor.shape != covered:
            reason = f"input {position} must have shape {covered}, has {tensor.shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_PARAMETERS)
    return None


def _check_outputs(kernel: Kernel, primitive: LayerNormFusion) -> Rejected | None:
    shape = required(kernel, 0).shape
    groups = shape[: normalized(primitive.begin_norm_axis, len(shape))]
    for position, (out, wanted) in enumerate(zip(kernel.outputs, (shape, groups, groups), strict=False)):
        if out.shape != wanted:
            reason = f"output {position} must have shape {wanted}, has {out.shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_RESULT)
    return None


def lower_layer_norm_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction, and a reduction for each of the statistics where they are outputs."""
    primitive, x = primitive_of(kernel, LayerNormFusion), required(kernel, 0)
    rank = len(x.shape)
    axes = tuple(range(normalized(primitive.begin_norm_axis, rank), rank))
    affine = [builder.read(t, rank) for t in (operand(kernel, 1), operand(kernel, 2)) if t is not None]
    builder.define(kernel.outputs[0], NormalizeMoments(axes, primitive.epsilon), [builder.read(x), *affine])
    kept = (*x.shape[: axes[0]], *(1,) * len(axes))
    for out, reduction in zip(kernel.outputs[1:], (ReductionFunction.MEAN, ReductionFunction.VARIANCE), strict=False):
        builder.define(out, View(shape_of(out)), [builder.emit(Reduce(reduction, axes), [builder.read(x)], kept)])


OPERATOR = NpuOperator(
    "LayerNormFusion",
    check_layer_norm_fusion,
    lower_layer_norm_fusion,
    takes="real",
    condition="with scale and shift both or neither, and with one output, or three with mean and variance",
    limits=("moments_epsilon",),
    quantized=through_reals(check_layer_norm_fusion, lower_layer_norm_fusion),
)
