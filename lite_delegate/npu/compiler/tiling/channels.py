"""Parameters of instructions per output channel, cut to some of the channels."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ...device.instructions.quantized_convolution import QuantizedConvolution
from ...device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from ...device.instructions.quantized_matmul import QuantizedMatMul
from ...device.instructions.quantized_scaling import Requantization
from ...device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from ...device.programs.instruction import Instruction

PER_CHANNEL = (
    QuantizedConvolution,
    QuantizedDepthwiseConvolution,
    QuantizedMatMul,
    QuantizedTransposedConvolution,
)
Values = TypeVar("Values", bound=tuple[float, ...])


def channels_of(instruction: Instruction, start: int, stop: int, channels: int) -> Instruction:
    """The instruction for the channels from ``start`` to ``stop`` of ``channels``.

    Lists of one value for each channel are cut; lists of one value for all stay.
    """
    if (start, stop) == (0, channels) or not isinstance(instruction, PER_CHANNEL):
        return instruction
    return replace(
        instruction,
        weight_zero_points=cut(instruction.weight_zero_points, start, stop),
        requantization=_requantization(instruction.requantization, start, stop),
    )


def cut(values: Values, start: int, stop: int) -> Values:
    """One value for each channel, or one for all, for some of the channels."""
    return values if len(values) == 1 else values[start:stop]  # type: ignore[return-value]


def _requantization(whole: Requantization, start: int, stop: int) -> Requantization:
    factor = whole.factor
    return replace(
        whole,
        factor=replace(
            factor, multipliers=cut(factor.multipliers, start, stop), shifts=cut(factor.shifts, start, stop)
        ),
    )
