"""Every operator that is imported, and how."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..rejection import NotConvertible, Why
from .conversion import Converter
from .converters import (
    activation,
    bits,
    conditional,
    contrib_quantization,
    contrib_recurrent,
    convolution,
    dense,
    einsum,
    elementwise,
    image,
    indexing,
    loop,
    movement,
    normalization,
    padding,
    pooling,
    quantization,
    recurrent,
    reduction,
    resize,
    search,
    sequence,
    signal,
)
from .operators import qualified
from .unmapped import UNMAPPED

if TYPE_CHECKING:
    import onnx

CONVERTERS: dict[str, Converter] = {
    **activation.CONVERTERS,
    **bits.CONVERTERS,
    **conditional.CONVERTERS,
    **contrib_quantization.CONVERTERS,
    **contrib_recurrent.CONVERTERS,
    **convolution.CONVERTERS,
    **dense.CONVERTERS,
    **einsum.CONVERTERS,
    **elementwise.CONVERTERS,
    **image.CONVERTERS,
    **indexing.CONVERTERS,
    **loop.CONVERTERS,
    **movement.CONVERTERS,
    **normalization.CONVERTERS,
    **padding.CONVERTERS,
    **pooling.CONVERTERS,
    **quantization.CONVERTERS,
    **recurrent.CONVERTERS,
    **reduction.CONVERTERS,
    **resize.CONVERTERS,
    **search.CONVERTERS,
    **sequence.CONVERTERS,
    **signal.CONVERTERS,
}
"""Converters by operator, with its domain in front where that is not ONNX's own; one file per family."""

NO_COUNTERPART = "there is no such operator in the .ms format, and ONNX defines it by no function"


def rejection(node: onnx.NodeProto) -> NotConvertible | None:
    """The reason that the operator cannot be imported whatever its attributes are; None if it may be."""
    name = qualified(node)
    if name in CONVERTERS:
        return None
    if name in UNMAPPED:
        return NotConvertible(Why.OPERATOR, UNMAPPED[name])
    return None if name in _by_function() else NotConvertible(Why.OPERATOR, NO_COUNTERPART)


@functools.cache
def _by_function() -> frozenset[str]:
    """The operators that ONNX defines by a function body in some version."""
    import onnx

    names = set()
    # The type stub lacks what a schema says of its functions.
    schemas: Any = onnx.defs.get_all_schemas_with_history()
    for schema in schemas:
        if schema.has_function or schema.has_context_dependent_function:
            names.add(f"{schema.domain}.{schema.name}" if schema.domain else schema.name)
    return frozenset(names)
