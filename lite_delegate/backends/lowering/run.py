"""Runs and single kernels, lowered: a backend's model, or the claim for a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...delegate import Boundary, Kernel, RejectCode, Rejected, Supported, SupportResult
from ...errors import DelegateBuildError
from ...ir import has_numpy, to_numpy
from ...ir.custom import custom_type
from ...ir.traits import ElementPattern, of_pattern
from ...semantics.fitting import DoesNotFit
from ...semantics.operands import op_type_of
from ...semantics.quantization import is_dynamic, is_quantized
from ...tensors.tensor import Tensor
from .emitter import EmitsNothing, Emitter
from .left_out import LEFT_OUT
from .lowering import Lowering, constant_value, wanted
from .not_lowered import NotLowered
from .table import lowering_of
from .term import Lowered, Term

TAKE_EMPTY = frozenset(
    {"MatMulFusion", "Concat", "PadFusion", "Shape", "Rank", "Size", "SpaceToBatch", "SpaceToBatchND"}
    | {"ScatterElements", "ScatterNd", "ScatterNdUpdate", "SparseToDense", "TensorScatterAdd", "UnsortedSegmentSum"}
    | {"ai.onnx.Reshape", "ai.onnx.ScatterElements", "ai.onnx.ScatterND", "Attention", "ReduceFusion"}
    | {f"tflite.UNSORTED_SEGMENT_{name}" for name in ("MAX", "MIN", "PROD")}
)
"""Operators that make something of tensors without elements, in ONNX as here."""
_SIZED = frozenset({"Dropout", "OnesLike", "QuantDTypeCast", "ZerosLike"})
"""Operators on each element by itself whose lowerings make a constant for each of them, or each channel."""
TAKE_UNKNOWN = (of_pattern(ElementPattern.UNARY) | {"Depend"}) - _SIZED
"""Operators on each element by itself, whose lowerings look at no dimension."""


def claim(kernel: Kernel, backend: Emitter) -> SupportResult:
    """The answer to whether a backend can run a kernel: its lowering, written to nothing."""
    lowering = Lowering(EmitsNothing(backend))
    try:
        check_tensors(kernel, takes_unknown=lowering.takes_unknown)
        for tensor in kernel.inputs:
            if not tensor.is_const:
                lowering.take(tensor)
        lower(kernel, lowering)
        for tensor in kernel.outputs:
            lowering.in_order(lowering.value(tensor))
    except NotLowered as e:
        return e.rejected
    except DoesNotFit as e:
        return Rejected(RejectCode.ATTRIBUTE, str(e))
    return Supported()


def lower_run(run: Sequence[Kernel], boundary: Boundary, emitter: Emitter) -> list[Term]:
    """Writes a run to an emitter; returns the terms of the boundary's outputs, in the model's order of axes.

    Raises:
        DelegateBuildError: a kernel cannot be lowered; the message names it.
    """
    lowering = lower_kernels(run, boundary.inputs, emitter)
    return [lowering.in_order(lowering.value(tensor)) for tensor in boundary.outputs]


def lower_kernels(
    run: Sequence[Kernel], inputs: Sequence[Tensor], emitter: Emitter, names: Sequence[str] = ()
) -> Lowering:
    """Writes kernels to an emitter; returns the lowering, which has the values of their tensors.

    Args:
        run: kernels in execution order.
        inputs: the model's inputs.
        emitter: writes the model.
        names: of the model's inputs; (): those of the tensors.

    Raises:
        DelegateBuildError: a kernel cannot be lowered; the message names it.
    """
    lowering = Lowering(emitter)
    for tensor, name in zip(inputs, names or [each.name for each in inputs], strict=True):
        lowering.take(tensor, name)
    for kernel in run:
        emitter.layer = kernel.name
        try:
            lower(kernel, lowering)
        except (NotLowered, DoesNotFit) as e:
            raise DelegateBuildError(f"Kernel '{kernel.name}' ({kernel.type}) cannot be lowered: {e}.") from e
    emitter.layer = ""
    return lowering


def lower(kernel: Kernel, lowering: Lowering) -> None:
    """Writes one kernel, and sets the values of its outputs.

    Raises:
        NotLowered: the backend cannot compute the kernel.
        DoesNotFit: the kernel's attributes, shapes and constants do not go together.
    """
    if kernel.control_flow is not None:
        from .families.control_flow import lower_control_flow

        _define(kernel, lower_control_flow(kernel, lowering, _lower_inside), lowering)
    elif is_quantized(kernel) and op_type_of(kernel) != "QuantDTypeCast":
        from .quantized import lower_quantized

        lower_quantized(kernel, lowering, _lower_real)
    else:
        _lower_real(kernel, lowering)


def _lower_real(kernel: Kernel, lowering: Lowering) -> None:
    op_type = operator_of(kernel)
    why = LEFT_OUT.get(op_type)
    if why is not None:
        raise NotLowered(RejectCode.OPERATOR, f"{op_type} {why}")
    if kernel.outputs and all(0 in tensor.shape for tensor in kernel.outputs):
        for tensor in kernel.outputs:
            lowering.define(tensor, constant_value(np.empty(tensor.shape, to_numpy(tensor.dtype))))
        return
    found = lowering_of(op_type)
    if found is None:
        raise NotLowered(RejectCode.OPERATOR, f"{op_type} has no lowering")
    made = found(kernel, lowering)
    _define(kernel, [made] if isinstance(made, Lowered) else made, lowering)


def operator_of(kernel: Kernel) -> str:
    """The operator's name in the schema; for one that the schema has no number for, its name in the file."""
    op_type = op_type_of(kernel)
    return custom_type(kernel.primitive) if kernel.primitive is not None and op_type == "Custom" else op_type


def _lower_inside(kernel: Kernel, lowering: Lowering) -> None:
    """Writes a kernel of a loop or a choice; the reason why it cannot be names it."""
    try:
        check_tensors(kernel, takes_unknown=lowering.takes_unknown)
        lower(kernel, lowering)
    except NotLowered as e:
        raise NotLowered(e.code, f"'{kernel.name}' ({kernel.type}) in it: {e}") from e


def _define(kernel: Kernel, values: Sequence[Lowered], lowering: Lowering) -> None:
    for tensor, value in zip(kernel.outputs, values, strict=True):
        if tuple(tensor.shape) != value.shape:
            raise NotLowered(
                RejectCode.SHAPE, "the lowering must give the model's shape", f"gives {value.shape} for {tensor.shape}"
            )
        lowering.define(tensor, value)


def check_tensors(kernel: Kernel, *, takes_unknown: bool = False) -> None:
    """Checks types and shapes of a kernel's tensors.

    Args:
        kernel: that is to be lowered.
        takes_unknown: whether dimensions may be unknown where the operator follows them by itself.

    Raises:
        NotLowered: no backend could do it.
    """
    op_type = operator_of(kernel)
    takes_unknown = takes_unknown and op_type in TAKE_UNKNOWN
    for tensor in kernel.inputs:
        _check_tensor(tensor, takes_unknown)
    for tensor in kernel.outputs:
        _check_tensor(tensor, takes_unknown or kernel.control_flow is not None)  # which looks at them itself
    if op_type not in TAKE_EMPTY and any(0 not in tensor.shape for tensor in kernel.outputs):
        for tensor in kernel.inputs:
            rule = "tensors joined from others must have elements"
            wanted(
                tensor.is_const or 0 not in tensor.shape, RejectCode.SHAPE, rule, f"'{tensor.name}' has {tensor.shape}"
            )
    if is_dynamic(kernel):
        raise NotLowered(RejectCode.DTYPE, "quantization parameters must be known before the model runs")


def _check_tensor(tensor: Tensor, takes_unknown: bool) -> None:
    if not has_numpy(tensor.dtype):
        rule = "tensors must hold numbers or bools"
        raise NotLowered(RejectCode.DTYPE, rule, f"'{tensor.name}' is {tensor.dtype.name}", tensor.dtype)
    if tensor.extents is None or not (takes_unknown or tensor.has_known_shape):
        raise NotLowered(RejectCode.SHAPE, "shapes must be known", f"'{tensor.name}' has {tensor.shape}")
