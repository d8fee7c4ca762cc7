"""Lowering: from runs to a backend's operators. A claim is a lowering without a model written."""

from typing import TYPE_CHECKING

from ...basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .emitter import FITS, OPSET, THROUGH, Attributes, AttributeValue, EmitsNothing, Emitter, Spec
    from .inner import Inner
    from .not_lowered import NotLowered
    from .open_dim import OpenDim, ShapeIsOpen, as_open
    from .places import bounded, outside
    from .run import claim, lower_kernels, lower_run
    from .steps import STEPS
    from .term import Dtype, Shape, Term
else:
    __getattr__ = _deferred(
        __name__,
        {
            "FITS": "emitter",
            "OPSET": "emitter",
            "THROUGH": "emitter",
            "Attributes": "emitter",
            "AttributeValue": "emitter",
            "EmitsNothing": "emitter",
            "Emitter": "emitter",
            "Spec": "emitter",
            "Inner": "inner",
            "NotLowered": "not_lowered",
            "OpenDim": "open_dim",
            "ShapeIsOpen": "open_dim",
            "as_open": "open_dim",
            "bounded": "places",
            "outside": "places",
            "STEPS": "steps",
            "claim": "run",
            "lower_kernels": "run",
            "lower_run": "run",
            "Dtype": "term",
            "Shape": "term",
            "Term": "term",
        },
    )

__all__ = [
    "FITS",
    "OPSET",
    "STEPS",
    "THROUGH",
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
    "bounded",
    "claim",
    "lower_kernels",
    "lower_run",
    "outside",
]
