"""Versions of builtin operators: the lowest release of an operator that has its types and options.

The facts are those of TensorFlow Lite's own table (``tensorflow/lite/tools/versioning/op_version.cc``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ....basics.data_class import dataclass
from .tensors import TfliteTensor


@dataclass(frozen=True, slots=True)
class OperatorUse:
    """A builtin operator with its operands, results and options.

    Attributes:
        kind: the schema's name of the operator.
        inputs: its operands, None where one is absent.
        outputs: its results.
        options: the fields of its table of options.
    """

    kind: str
    inputs: tuple[TfliteTensor | None, ...]
    outputs: tuple[TfliteTensor, ...]
    options: Mapping[str, Any]

    def x(self, place: int = 0) -> str:
        """The element type of an operand, "" where it is absent."""
        found = self.inputs[place] if place < len(self.inputs) else None
        return "" if found is None else found.dtype

    def y(self, place: int = 0) -> str:
        """The element type of a result, "" where there is none."""
        return self.outputs[place].dtype if place < len(self.outputs) else ""

    def rank(self) -> int:
        """The largest number of dimensions of an operand."""
        return max((x.rank for x in self.inputs if x is not None), default=0)

    def broadcasts(self) -> bool:
        """Whether two operands have different dimensions."""
        shapes = [x.shape for x in self.inputs if x is not None]
        return len(shapes) > 1 and shapes[0] != shapes[1]

    def is_quantized(self) -> bool:
        """Whether the first operand has quantization parameters."""
        return self.inputs[0] is not None and self.inputs[0].quantization is not None

    def is_per_channel(self, place: int) -> bool:
        """Whether an operand has several scales."""
        x = self.inputs[place]
        return x is not None and x.quantization is not None and x.quantization.is_per_channel

    def is_hybrid(self) -> bool:
        """Whether real numbers are multiplied by integer weights."""
        return self.x() == "float32" and self.x(1) == "int8"

    def scale(self, tensor: TfliteTensor | None) -> float:
        """The one scale of a tensor, 0 without one."""
        return 0.0 if tensor is None or tensor.quantization is None else tensor.quantization.scales[0]


Rule: TypeAlias = tuple[int, Callable[[OperatorUse], bool]]


def version_of(use: OperatorUse) -> int:
    """The version of an operator: of the first rule that holds, else the lowest one."""
    rules = _RULES.get(use.kind, ())
    return next((version for version, holds in rules if holds(use)), _LOWEST.get(use.kind, 1))


def _typed(*versions: tuple[int, str], place: int = 0) -> tuple[Rule, ...]:
    """Rules by the element type of one operand: version and types, the first that fits counts."""

    def rule(types: frozenset[str]) -> Callable[[OperatorUse], bool]:
        return lambda use: use.x(place) in types

    return tuple((version, rule(frozenset(types.split()))) for version, types in versions)


def _set(option: str) -> Callable[[OperatorUse], bool]:
    return lambda use: bool(use.options.get(option))


def _broadcasts_beyond_4(use: OperatorUse) -> bool:
    return use.broadcasts() and use.rank() > 4


def _rescales_up(use: OperatorUse) -> bool:
    first, second, result = use.scale(use.inputs[0]), use.scale(use.inputs[1]), use.scale(use.outputs[0])
    return bool(first and second and result) and first * second / result >= 1


_WIDE, _NARROW = (3, "int16"), (2, "int8")
_BYTES = (2, "int8 uint8")
_SIXTEEN = _typed(_WIDE, _NARROW)
_EIGHT = _typed(_NARROW)
_MOVED_BATCHES: tuple[Rule, ...] = (*_typed((4, "int16")), (3, lambda use: use.rank() != 4), *_EIGHT)
_PADDED: tuple[Rule, ...] = ((4, lambda use: use.rank() > 4), *_SIXTEEN)
_EXTREME: tuple[Rule, ...] = (*_typed((4, "int16")), (3, _broadcasts_beyond_4), *_EIGHT)
_RESIZED = _typed((4, "int16"))
_LOWEST = {"BROADCAST_TO": 2}
_RULES: Mapping[str, tuple[Rule, ...]] = {
    "CONV_2D": (
        (8, _set("quantized_bias_type")),
        (6, lambda use: use.inputs[0] is not None and _is_grouped(use)),
        *_typed((4, "int16"), (3, "int8")),
        (5, lambda use: use.is_hybrid() and use.is_per_channel(1)),
        (2, OperatorUse.is_hybrid),
    ),
    "DEPTHWISE_CONV_2D": (
        *_typed((5, "int16")),
        (6, lambda use: use.is_hybrid() and use.is_per_channel(1)),
        (4, OperatorUse.is_hybrid),
        *_typed((3, "int8")),
        (2, lambda use: use.options["dilation_h_factor"] != 1 or use.options["dilation_w_factor"] != 1),
    ),
    "FULLY_CONNECTED": (
        (11, _set("quantized_bias_type")),
        (12, lambda use: use.is_hybrid() and use.is_per_channel(1)),
        (7, lambda use: use.x() == use.x(1) == "int16"),
        (6, lambda use: len(use.inputs) == 2),
        (5, _set("keep_num_dims")),
        *_typed((4, "int8")),
        (9, lambda use: use.is_hybrid() and bool(use.options.get("asymmetric_quantize_inputs"))),
        (3, OperatorUse.is_hybrid),
    ),
    "TRANSPOSE_CONV": (
        (5, _set("quantized_bias_type")),
        (4, _set("fused_activation_function")),
        (3, lambda use: len(use.inputs) == 4),
        *_typed((2, "int8"), place=1),
    ),
    "BATCH_MATMUL": (
        *_SIXTEEN,
        (4, lambda use: use.is_hybrid() and bool(use.options.get("asymmetric_quantize_inputs"))),
    ),
    "ADD": (
        (5, lambda use: use.x() == "int16" and not use.is_quantized()),
        *_typed((4, "int64"), (3, "int16"), (2, "int8")),
    ),
    "SUB": (*_typed((5, "int16"), (4, "int64")), (3, _broadcasts_beyond_4), *_EIGHT),
    "MUL": (
        (7, lambda use: use.x() == "uint32" or (use.x() == "int16" and not use.is_quantized())),
        *_typed((5, "int64"), (4, "int16")),
        (3, _rescales_up),
        *_EIGHT,
    ),
    "DIV": ((2, _broadcasts_beyond_4),),
    "MAXIMUM": _EXTREME,
    "MINIMUM": _EXTREME,
    "FLOOR_DIV": _typed((3, "int16 int8"), (2, "float32")),
    "FLOOR_MOD": _typed((2, "int16 int8")),
    "EQUAL": _typed((4, "int16"), _NARROW),
    "NOT_EQUAL": _EIGHT,
    "LESS": _SIXTEEN,
    "GREATER_EQUAL": _SIXTEEN,
    **dict.fromkeys(("GREATER", "LESS_EQUAL", "SQUARED_DIFFERENCE", "SUM", "LOG_SOFTMAX"), _EIGHT),
    **dict.fromkeys(("SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "SPLIT_V"), _EIGHT),
    "SIGN": _typed((2, "int32")),
    "ABS": (
        *_typed((5, "int32")),
        (3, lambda use: use.x() == "int16" and use.is_quantized()),
        *_typed((4, "int16"), _BYTES),
    ),
    "RELU": _typed(_WIDE, _BYTES),
    "GELU": _typed(_BYTES),
    "LEAKY_RELU": _typed((2, "int16")),
    **dict.fromkeys(("EXP", "LOG", "REDUCE_PROD"), _typed((2, "int8 int16"))),
    **dict.fromkeys(("SOFTMAX", "MEAN", "MIRROR_PAD", "REDUCE_MAX", "REDUCE_MIN", "RELU6", "RSQRT"), _SIXTEEN),
    **dict.fromkeys(("TANH", "LOGISTIC", "MAX_POOL_2D", "AVERAGE_POOL_2D"), _SIXTEEN),
    "CONCATENATION": _typed((4, "uint32"), _WIDE, _NARROW),
    "PACK": _typed((4, "uint32"), _WIDE, _NARROW),
    "UNPACK": _typed((4, "int16"), (3, "bool"), _BYTES),
    "L2_NORMALIZATION": _EIGHT,
    "GATHER": (
        (5, _set("batch_dims")),
        *_typed((4, "int16"), (3, "bool"), _NARROW),
    ),
    "GATHER_ND": _typed((5, "bool"), (3, "int16")),
    "TRANSPOSE": (
        (6, lambda use: use.inputs[0] is not None and use.inputs[0].rank > 5),
        *_typed((5, "int16")),
        (4, lambda use: use.inputs[0] is not None and use.inputs[0].rank > 4),
        *_typed((3, "bool"), _NARROW),
    ),
    "SPLIT": _typed((4, "int16"), (3, "int32"), _NARROW, place=1),
    "SPARSE_TO_DENSE": _typed((3, "int8 uint8"), (2, "int64"), place=2),
    "SLICE": (
        *_typed((6, "uint32")),
        (5, lambda use: use.rank() > 4),
        *_typed((4, "int16"), _NARROW),
    ),
    "STRIDED_SLICE": (
        (8, _set("offset")),
        *_typed((7, "uint32")),
        (6, lambda use: bool(use.options.get("ellipsis_mask") or use.options.get("new_axis_mask"))),
        (4, lambda use: use.rank() > 4),
        *_typed((3, "bool"), _NARROW),
    ),
    "DEQUANTIZE": (
        *_typed((3, "int16 float16")),
        (5, lambda use: use.x() == "int8" and use.is_per_channel(0)),
        *_EIGHT,
    ),
    "QUANTIZE": (
        (3, lambda use: use.outputs[0].quantization is not None and use.outputs[0].quantization.is_per_channel),
        (2, lambda use: use.y() == "int16"),
    ),
    "REVERSE_V2": _typed((3, "int8"), (2, "bool")),
    "RESIZE_BILINEAR": (*_RESIZED, (3, _set("half_pixel_centers")), *_EIGHT),
    "RESIZE_NEAREST_NEIGHBOR": (
        *_RESIZED,
        (3, lambda use: bool(use.options.get("half_pixel_centers") or use.options.get("align_corners"))),
        *_EIGHT,
    ),
    "TILE": _typed((3, "int8")),
    "SPACE_TO_BATCH_ND": _MOVED_BATCHES,
    "BATCH_TO_SPACE_ND": _MOVED_BATCHES,
    "PAD": _PADDED,
    "PADV2": _PADDED,
    "FILL": _typed((4, "float16"), (3, "int8 int16"), (2, "bool"), place=1),
    "RANGE": _typed((2, "int64")),
    "ARG_MAX": _typed((3, "bool"), _NARROW),
    "ARG_MIN": _typed((3, "bool"), _NARROW),
    "SELECT_V2": _typed((2, "uint32")),
    "TOPK_V2": ((3, lambda use: "int16" in (use.x(), use.x(1), use.y(1))), *_EIGHT),
    "BROADCAST_TO": _typed((3, "int8 int16")),
    "CAST": (
        (5, lambda use: bool({use.x(), use.y()} & {"float64", "float16"})),
        (4, lambda use: "uint16" in (use.x(), use.y())),
        (3, lambda use: "int8" in (use.x(), use.y())),
        (2, lambda use: "uint32" in (use.x(), use.y())),
    ),
    "WHERE": ((2, lambda use: use.x() != "bool"),),
    "FAKE_QUANT": ((2, _set("narrow_range")),),
}
"""By operator: versions and when they are needed, the first that is counts."""


def _is_grouped(use: OperatorUse) -> bool:
    """Whether the weights of a convolution have fewer channels than the input."""
    x, weight = use.inputs[0], use.inputs[1]
    return x is not None and weight is not None and weight.shape[3] != x.shape[3]
