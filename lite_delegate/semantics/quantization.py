"""Kernels on quantized integers, and the numbers that the integers of their tensors stand for.

An integer q of a tensor stands for the real number ``(q - zero_point) * scale``.
"""

from __future__ import annotations

import math

from ..basics.data_class import dataclass
from ..delegate import Kernel
from ..errors import DelegateBuildError
from ..ir.types.data_type import DataType
from ..ir.types.enums import QuantType
from ..ir.value import QuantParam
from ..tensors.tensor import Tensor
from .operands import operand

STORED = frozenset({DataType.INT8, DataType.UINT8})
"""Element types of quantized weights, and of the activations that devices take."""
WIDE = DataType.INT16
"""The element type of activations beside weights of 8 bits; kernels of the host take it."""
ON_INTEGERS = frozenset({QuantType.QUANT_ALL, QuantType.AwareTraining, QuantType.PostTraining})
"""The deprecated two are what ``QUANT_ALL`` was called before."""
LIMITS = {DataType.INT8: (-128, 127), DataType.UINT8: (0, 255)}
_DEFAULT = (QuantParam(),)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The meaning of one tensor's integers.

    Attributes:
        scale: positive and finite.
        zero_point: the integer that stands for 0; it may lie outside the integer type.
    """

    scale: float
    zero_point: int


def is_quantized(kernel: Kernel) -> bool:
    """True when a kernel runs on integers: it is marked so and its first input holds them."""
    first = operand(kernel, 0) if kernel.quant_type in ON_INTEGERS else None
    if first is None:
        return False
    return first.dtype in STORED or (first.dtype == WIDE and bool(params_of(first)))


def is_dynamic(kernel: Kernel) -> bool:
    """True when a kernel runs on integers whose meaning is only known when the model runs."""
    first = operand(kernel, 0) if kernel.quant_type == QuantType.QUANT_DYNAMIC else None
    return first is not None and first.dtype in STORED


def params_of(tensor: Tensor) -> tuple[QuantParam, ...]:
    """The quantization parameters of a tensor, one or one per channel; none where it has none that count.

    Converters put one default parameter on any tensor. It counts on INT8 and UINT8 tensors alone.
    """
    if tensor.quant_params == _DEFAULT and tensor.dtype not in STORED:
        return ()
    return tensor.quant_params


def per_channel(tensor: Tensor) -> tuple[Parameters, ...]:
    """The parameters of a tensor: one, or one per channel.

    Raises:
        DelegateBuildError: it has none.
    """
    found = tuple(Parameters(float(p.scale), int(p.zero_point)) for p in params_of(tensor))
    if not found:
        raise DelegateBuildError(f"Tensor '{tensor.name}' must have quantization parameters, has none.")
    return found


def per_tensor(tensor: Tensor) -> Parameters:
    """The one parameter of a tensor.

    Raises:
        DelegateBuildError: it has none, or several.
    """
    found = per_channel(tensor)
    if len(found) > 1:
        raise DelegateBuildError(f"Tensor '{tensor.name}' must have one scale, has {len(found)}.")
    return found[0]


def is_sound(parameters: Parameters) -> bool:
    """True when the scale is positive and finite."""
    return 0.0 < parameters.scale < math.inf
