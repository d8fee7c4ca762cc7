"""Low forms: operators over fewer axes that compute a node of too many dimensions."""

from .along_axes import ALONG_AXES
from .elementwise import ELEMENTWISE
from .form import LowForm, LowFormRule

LOW_FORMS: dict[str, LowFormRule] = {**ELEMENTWISE, **ALONG_AXES}
"""By operator."""

__all__ = ["LOW_FORMS", "LowForm", "LowFormRule"]
