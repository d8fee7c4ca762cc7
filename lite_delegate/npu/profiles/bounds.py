"""OperatorBounds: limits that any operator of a profile may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from ...basics.data_class import dataclass
from ...ir.types.data_type import DataType
from ...ir.types.enums import ActivationType
from .number_range import NumberRange

EVERY = "any"
"""The name of the bounds of all operators; an operator's own come before them, key by key."""


@dataclass(frozen=True, slots=True)
class OperatorBounds:
    """Limits of one operator; None is no limit. Sizes are those of input 0, which is (N, H, W, C), and of output 0.

    Attributes:
        activations: types of an Activation, and of activations that are fused into the operator.
        channels_multiple: channels of input 0 and of output 0, their last dimension, are multiples of it.
        constants: positions of the inputs that must be constants.
        driver_since: the first driver version that has the operator.
        dtypes: element types of input 0.
        max_channels: channels of input 0 and of output 0.
        max_dilation: dilation of a window, vertical and horizontal.
        max_dim: each dimension of input 0 and of output 0.
        max_elements: elements of input 0 and of output 0.
        max_groups: groups of a convolution.
        max_inputs: number of inputs.
        max_kernel: height and width of a window; of a global pool, of the whole input.
        max_stride: stride of a window, vertical and horizontal.
        min_kernel: height and width of a window.
        ranks: numbers of dimensions of input 0.
        second_dtypes: element types of input 1.
    """

    activations: tuple[str, ...] | None = None
    channels_multiple: Annotated[int | None, NumberRange(1, 2**20)] = None
    constants: Annotated[tuple[int, ...] | None, NumberRange(0, 64)] = None
    driver_since: str = ""
    dtypes: tuple[str, ...] | None = None
    max_channels: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_dilation: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_dim: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_elements: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_groups: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_inputs: Annotated[int | None, NumberRange(1, 2**20)] = None
    max_kernel: Annotated[int | None, NumberRange(1, 2**53)] = None
    max_stride: Annotated[int | None, NumberRange(1, 2**53)] = None
    min_kernel: Annotated[int | None, NumberRange(1, 2**53)] = None
    ranks: Annotated[tuple[int, ...] | None, NumberRange(0, 8)] = None
    second_dtypes: tuple[str, ...] | None = None


NAMES: Mapping[str, tuple[str, ...]] = {
    "activations": tuple(a.name for a in ActivationType),
    "dtypes": tuple(d.name for d in DataType),
    "second_dtypes": tuple(d.name for d in DataType),
}
"""The words that lists of names may have."""
