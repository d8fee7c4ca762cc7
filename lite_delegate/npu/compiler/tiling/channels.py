"""What instructions say per output channel, cut to some of the channels."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ...device.instruction import Instruction
from ...device.quantised_convolution import QuantisedConvolution
from ...device.quantised_depthwise import QuantisedDepthwiseConvolution
from ...device.quantised_matmul import QuantisedMatMul
from ...device.quantised_scaling import Requantisation
from ...device.quantised_transposed_convolution import QuantisedTransposedConvolution

PER_CHANNEL = (
    QuantisedConvolution,
    QuantisedDepthwiseConvolution,
    QuantisedMatMul,
    QuantisedTransposedConvolution,
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
        requantisation=_requantisation(instruction.requantisation, start, stop),
    )


def cut(values: Values, start: int, stop: int) -> Values:
    """One value for each channel, or one for all, for some of the channels."""
    return values if len(values) == 1 else values[start:stop]  # type: ignore[return-value]


def _requantisation(whole: Requantisation, start: int, stop: int) -> Requantisation:
    factor = whole.factor
    return replace(
        whole,
        factor=replace(
            factor, multipliers=cut(factor.multipliers, start, stop), shifts=cut(factor.shifts, start, stop)
        ),
    )
