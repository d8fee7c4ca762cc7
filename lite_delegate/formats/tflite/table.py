"""The table of imported builtin operators, and their converters."""

from __future__ import annotations

from .conversion import Converter
from .converters import (
    activation,
    composite,
    conditional,
    convolution,
    custom,
    dense,
    elementwise,
    image,
    indexing,
    loop,
    movement,
    quantization,
    recurrent,
    reduction,
    rnn,
    signal,
    slicing,
    stablehlo,
    svdf,
    variable,
)

CONVERTERS: dict[str, Converter] = {
    **activation.CONVERTERS,
    **composite.CONVERTERS,
    **conditional.CONVERTERS,
    **convolution.CONVERTERS,
    **custom.CONVERTERS,
    **dense.CONVERTERS,
    **elementwise.CONVERTERS,
    **image.CONVERTERS,
    **indexing.CONVERTERS,
    **loop.CONVERTERS,
    **movement.CONVERTERS,
    **quantization.CONVERTERS,
    **recurrent.CONVERTERS,
    **reduction.CONVERTERS,
    **rnn.CONVERTERS,
    **signal.CONVERTERS,
    **slicing.CONVERTERS,
    **stablehlo.CONVERTERS,
    **svdf.CONVERTERS,
    **variable.CONVERTERS,
}
"""Converters by the schema's names; one file per family."""
STATEFUL = frozenset((*recurrent.CONVERTERS, *rnn.CONVERTERS, *svdf.CONVERTERS))
"""Operators that may read variable tensors."""
