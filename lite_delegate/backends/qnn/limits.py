"""Kernels that the plugin computes wrongly or crashes at, as its conformance showed: they are not claimed."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir import DataType
from ...ir.primitives import AvgPoolFusion, MulFusion, ReduceFusion
from ...ir.traits import ElementPattern, traits_of
from ...ir.types.enums import PadMode
from ...semantics.operands import op_type_of
from ...tensors.tensor import Tensor

MOST_AXES = 4
ELEMENTWISE = (ElementPattern.UNARY, ElementPattern.BROADCAST, ElementPattern.CHOICE, ElementPattern.ALIKE)
ARITHMETIC = (*ELEMENTWISE, ElementPattern.CHANNELS, ElementPattern.OTHER)
WIDE = (DataType.INT64, DataType.UINT64)
INTEGERS = (DataType.INT32, DataType.UINT32)
GIVING_PLACES = frozenset({"ArgMaxFusion", "ArgMinFusion", "TopKFusion", "OneHot", "Cast"})
"""Operators whose 64-bit integers are places in a tensor, or stand for such."""


def rejection(kernel: Kernel) -> Rejected | None:
    """The reason why the HTP must not get a kernel; None where it may."""
    tensors = [tensor for tensor in (*kernel.inputs, *kernel.outputs) if not tensor.is_const]
    pattern = traits_of(kernel.type).pattern
    if pattern in ELEMENTWISE and any(len(tensor.shape) > MOST_AXES for tensor in tensors):
        rule = f"elementwise operators take up to {MOST_AXES} dimensions: the HTP's compiler crashes at more"
        return Rejected.by_rule(RejectCode.RANK, rule, f"has {max(len(tensor.shape) for tensor in tensors)}")
    if pattern in ARITHMETIC and op_type_of(kernel) not in GIVING_PLACES and (wide := _of_types(tensors, WIDE)):
        rule = "the HTP computes 64-bit integers in 32 bits"
        return Rejected.by_rule(RejectCode.DTYPE, rule, f"'{wide.name}' is {wide.dtype.name}", wide.dtype)
    if isinstance(kernel.primitive, (MulFusion, ReduceFusion)) and (integer := _of_types(tensors, INTEGERS)):
        rule = "the HTP multiplies and reduces integers in floating point"
        return Rejected.by_rule(RejectCode.DTYPE, rule, f"'{integer.name}' is {integer.dtype.name}", integer.dtype)
    if isinstance(kernel.primitive, AvgPoolFusion) and _is_padded(kernel.primitive) and _on_integers(kernel):
        rule = "the HTP counts the padding of integers among the numbers of a mean"
        return Rejected.by_rule(RejectCode.ATTRIBUTE, rule, "the pool is padded")
    return None


def _of_types(tensors: list[Tensor], types: tuple[DataType, ...]) -> Tensor | None:
    return next((tensor for tensor in tensors if tensor.dtype in types), None)


def _is_padded(primitive: AvgPoolFusion) -> bool:
    return primitive.pad_mode == PadMode.SAME or any(primitive.pad or ())


def _on_integers(kernel: Kernel) -> bool:
    return kernel.inputs[0].dtype in (DataType.INT8, DataType.UINT8, DataType.INT16)
