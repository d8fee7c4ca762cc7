"""Kernels that the plugin computes wrongly or crashes at, as its conformance showed: they are not claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel, RejectCode, Rejected
from ...ir import DataType, to_numpy
from ...ir.primitives import AvgPoolFusion, Conv2DFusion
from ...ir.traits import ElementPattern, traits_of
from ...ir.types.enums import PadMode
from ...semantics.operands import op_type_of
from ...tensors.tensor import Tensor

MOST_AXES = 4
ELEMENTWISE = (ElementPattern.UNARY, ElementPattern.BROADCAST, ElementPattern.CHOICE, ElementPattern.ALIKE)
ARITHMETIC = (*ELEMENTWISE, ElementPattern.CHANNELS, ElementPattern.OTHER)
OF_FEW_AXES = frozenset({"ReduceFusion", "ReverseV2"})
"""Operators that the HTP computes for few dimensions alone, beside the elementwise ones."""
WIDE = (DataType.INT64, DataType.UINT64)
INTEGERS = (DataType.INT32, DataType.UINT32)
NARROW = (DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16)
PICKING = frozenset({"ArgMaxFusion", "ArgMinFusion", "TopKFusion"})
"""Operators that give the places of elements which they compare."""
GIVING_PLACES = PICKING | {"OneHot", "Cast"}
"""Operators whose 64-bit integers are places in a tensor, or stand for such."""
CUTTING = frozenset({"Crop", "GatherD", "ReverseV2", "SliceFusion", "Splice", "SplitWithOverlap", "StridedSlice"})
"""Operators that give elements of a part of a tensor."""
MULTIPLYING = frozenset({"MulFusion", "ReduceFusion", "Square", "SquaredDifference"})
SCATTERING = frozenset({"ScatterNd", "TensorScatterAdd", "UnsortedSegmentSum"})
"""Operators that add up elements at places."""


@dataclass(frozen=True, slots=True)
class IntegerLimit:
    """Integers that the HTP computes otherwise than operators define it.

    Attributes:
        holds_for: whether it is a limit of a kernel's operator.
        tensors: the tensors of a kernel whose types are looked at.
        types: the types of the integers.
        rule: the limit in words.
    """

    holds_for: Callable[[Kernel], bool]
    tensors: Callable[[Kernel], Sequence[Tensor]]
    types: tuple[DataType, ...]
    rule: str

    def rejection(self, kernel: Kernel) -> Rejected | None:
        """The rejection of a kernel with such integers."""
        if not self.holds_for(kernel):
            return None
        found = next((tensor for tensor in self.tensors(kernel) if tensor.dtype in self.types), None)
        if found is None:
            return None
        return Rejected.by_rule(RejectCode.DTYPE, self.rule, f"'{found.name}' is {found.dtype.name}", found.dtype)


def rejection(kernel: Kernel) -> Rejected | None:
    """The reason why the HTP must not get a kernel; None where it may."""
    checks = (_by_shapes, *(limit.rejection for limit in INTEGER_LIMITS), _by_cast, _by_padding)
    return next((found for check in checks if (found := check(kernel)) is not None), None)


def _by_shapes(kernel: Kernel) -> Rejected | None:
    empty = next((tensor for tensor in kernel.inputs if 0 in tensor.shape and not tensor.is_const), None)
    if empty is not None and any(0 not in tensor.shape for tensor in kernel.outputs):
        rule = "inputs have elements: the HTP fails at a tensor without any"
        return Rejected.by_rule(RejectCode.SHAPE, rule, f"'{empty.name}' has none")
    rank = max((len(tensor.shape) for tensor in _computed(kernel)), default=0)
    if (_is_elementwise(kernel) or op_type_of(kernel) in OF_FEW_AXES) and rank > MOST_AXES:
        rule = f"at most {MOST_AXES} dimensions: the HTP crashes at more, or gives other elements"
        return Rejected.by_rule(RejectCode.RANK, rule, f"has {rank}")
    if op_type_of(kernel) == "PowFusion" and tuple(kernel.inputs[0].shape) != tuple(kernel.outputs[0].shape):
        rule = "the base of a power has the shape of the result: the HTP stretches it wrongly"
        return Rejected.by_rule(RejectCode.SHAPE, rule, f"has {list(kernel.inputs[0].shape)}")
    return None


def _by_cast(kernel: Kernel) -> Rejected | None:
    if op_type_of(kernel) != "Cast":
        return None
    source, target = kernel.inputs[0].dtype, kernel.outputs[0].dtype
    if not _loses_bits(source, target):
        return None
    rule = "the HTP casts integers to the nearest of fewer bits, not to their lower bits"
    return Rejected.by_rule(RejectCode.DTYPE, rule, f"casts {source.name} to {target.name}", source)


def _by_padding(kernel: Kernel) -> Rejected | None:
    """Paddings of integers that the HTP computes wrongly."""
    primitive = kernel.primitive
    if not kernel.inputs or kernel.inputs[0].dtype not in NARROW:
        return None
    if isinstance(primitive, AvgPoolFusion) and _is_padded(primitive):
        rule = "the HTP counts the padding of integers among the numbers of a mean"
        return Rejected.by_rule(RejectCode.ATTRIBUTE, rule, "the pool is padded")
    if isinstance(primitive, Conv2DFusion) and _is_padded_widely(primitive, kernel.inputs[1].shape[1:3]):
        rule = "paddings of integers are no wider than the kernel: the HTP pads them wrongly"
        return Rejected.by_rule(RejectCode.ATTRIBUTE, rule, f"is padded by {list(primitive.pad_list or ())}")
    if op_type_of(kernel) == "PadFusion" and _is_doubled(kernel.inputs[0].shape, kernel.outputs[0].shape):
        rule = "the last dimension of integers does not grow to the double beside others: the HTP pads it wrongly"
        return Rejected.by_rule(RejectCode.SHAPE, rule, f"grows to {kernel.outputs[0].shape[-1]}")
    return None


def _computed(kernel: Kernel) -> list[Tensor]:
    return [tensor for tensor in (*kernel.inputs, *kernel.outputs) if not tensor.is_const]


def _first(kernel: Kernel) -> Sequence[Tensor]:
    return kernel.inputs[:1]


def _results(kernel: Kernel) -> Sequence[Tensor]:
    return kernel.outputs


def _is_elementwise(kernel: Kernel) -> bool:
    return traits_of(kernel.type).pattern in ELEMENTWISE


def _is_arithmetic(kernel: Kernel) -> bool:
    return traits_of(kernel.type).pattern in ARITHMETIC and op_type_of(kernel) not in GIVING_PLACES


def _is_of(operators: frozenset[str]) -> Callable[[Kernel], bool]:
    return lambda kernel: op_type_of(kernel) in operators


def _loses_bits(source: DataType, target: DataType) -> bool:
    """Whether integers become integers of fewer bits; places, which have 64, are apart."""
    old, new = to_numpy(source), to_numpy(target)
    return source not in WIDE and old.kind in "iu" and new.kind in "iu" and new.itemsize < old.itemsize


def _is_padded(primitive: AvgPoolFusion) -> bool:
    return primitive.pad_mode == PadMode.SAME or any(primitive.pad or ())


def _is_padded_widely(primitive: Conv2DFusion, size: Sequence[int]) -> bool:
    """Whether a padding above, below, left or right is wider than a kernel of some height and width spans."""
    spans = [1 + (each - 1) * step for each, step in zip(size, primitive.dilation or (1, 1), strict=True)]
    return any(pad > spans[place // 2] for place, pad in enumerate(primitive.pad_list or ()))


def _is_doubled(before: Sequence[int], after: Sequence[int]) -> bool:
    return tuple(before[:-1]) != tuple(after[:-1]) and after[-1] >= 2 * before[-1]


INTEGER_LIMITS = (
    IntegerLimit(_is_arithmetic, _computed, WIDE, "the HTP computes 64-bit integers in 32 bits"),
    IntegerLimit(_is_of(CUTTING), _results, WIDE, "the HTP cuts 64-bit integers to 32 bits"),
    IntegerLimit(_is_of(PICKING), _first, (*INTEGERS, *WIDE), "the HTP compares integers in floating point"),
    IntegerLimit(_is_of(MULTIPLYING), _computed, INTEGERS, "the HTP multiplies and reduces integers in floating point"),
    IntegerLimit(_is_elementwise, _computed, (DataType.UINT32,), "the HTP takes integers of 32 bits for signed ones"),
    IntegerLimit(_is_of(SCATTERING), _results, NARROW, "the HTP adds up narrow integers at places inexactly"),
)
