"""The lowering of runs to a backend's operators; the claim is the lowering, written to nothing."""

from .emitter import OPSET, Attributes, AttributeValue, EmitsNothing, Emitter, Spec
from .inner import Inner
from .not_lowered import NotLowered
from .open_dim import OpenDim, ShapeIsOpen, as_open
from .quantized import STEPS
from .run import claim, lower_kernels, lower_run
from .term import Dtype, Shape, Term

__all__ = [
    "OPSET",
    "STEPS",
    "AttributeValue",
    "Attributes",
    "Dtype",
    "Emitter",
    "EmitsNothing",
    "Inner",
    "NotLowered",
    "OpenDim",
    "Shape",
    "ShapeIsOpen",
    "Spec",
    "Term",
    "as_open",
    "claim",
    "lower_kernels",
    "lower_run",
]
