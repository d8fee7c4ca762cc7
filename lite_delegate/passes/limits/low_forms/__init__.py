"""Operators over fewer axes: what a node of too many dimensions can be computed by."""

from .along_axes import ALONG_AXES
from .elementwise import ELEMENTWISE
from .form import Lowering, LowForm

LOW_FORMS: dict[str, Lowering] = {**ELEMENTWISE, **ALONG_AXES}
"""By operator."""

__all__ = ["LOW_FORMS", "LowForm", "Lowering"]
