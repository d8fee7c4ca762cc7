"""Every operator that is imported, and how."""

from __future__ import annotations

import functools
from typing import Any

import onnx

from ..rejection import NotConvertible, Why
from .conversion import Converter
from .converters import activation as convert_activation
from .converters import bits as convert_bits
from .converters import conditional as convert_if
from .converters import contrib_quantization as convert_contrib_quantization
from .converters import convolution as convert_convolution
from .converters import dense as convert_dense
from .converters import einsum as convert_einsum
from .converters import elementwise as convert_elementwise
from .converters import image as convert_image
from .converters import indexing as convert_indexing
from .converters import loop as convert_loop
from .converters import movement as convert_movement
from .converters import normalization as convert_normalization
from .converters import padding as convert_padding
from .converters import pooling as convert_pooling
from .converters import quantization as convert_quantization
from .converters import recurrent as convert_recurrent
from .converters import reduction as convert_reduction
from .converters import resize as convert_resize
from .converters import search as convert_search
from .converters import sequence as convert_sequence
from .converters import signal as convert_signal
from .operators import qualified
from .unmapped import UNMAPPED

CONVERTERS: dict[str, Converter] = {
    **convert_activation.CONVERTERS,
    **convert_bits.CONVERTERS,
    **convert_contrib_quantization.CONVERTERS,
    **convert_convolution.CONVERTERS,
    **convert_dense.CONVERTERS,
    **convert_einsum.CONVERTERS,
    **convert_elementwise.CONVERTERS,
    **convert_if.CONVERTERS,
    **convert_loop.CONVERTERS,
    **convert_image.CONVERTERS,
    **convert_indexing.CONVERTERS,
    **convert_movement.CONVERTERS,
    **convert_normalization.CONVERTERS,
    **convert_padding.CONVERTERS,
    **convert_pooling.CONVERTERS,
    **convert_quantization.CONVERTERS,
    **convert_recurrent.CONVERTERS,
    **convert_reduction.CONVERTERS,
    **convert_resize.CONVERTERS,
    **convert_search.CONVERTERS,
    **convert_sequence.CONVERTERS,
    **convert_signal.CONVERTERS,
}
"""Converters by operator, with its domain in front where that is not ONNX's own; one file per family."""

NO_COUNTERPART = "there is no such operator in the .ms format, and ONNX defines it by no function"


def is_known(node: onnx.NodeProto) -> bool:
    """Whether nothing about the operator itself stands against importing the node."""
    return rejection(node) is None


def rejection(node: onnx.NodeProto) -> NotConvertible | None:
    """Why the operator cannot be imported whatever its attributes are; None if it may be."""
    name = qualified(node)
    if name in CONVERTERS:
        return None
    if name in UNMAPPED:
        return NotConvertible(Why.OPERATOR, UNMAPPED[name])
    return None if name in _by_function() else NotConvertible(Why.OPERATOR, NO_COUNTERPART)


@functools.cache
def _by_function() -> frozenset[str]:
    """The operators that ONNX defines by a function body in some version."""
    names = set()
    # The type stub lacks what a schema says of its functions.
    schemas: Any = onnx.defs.get_all_schemas_with_history()
    for schema in schemas:
        if schema.has_function or schema.has_context_dependent_function:
            names.add(f"{schema.domain}.{schema.name}" if schema.domain else schema.name)
    return frozenset(names)
