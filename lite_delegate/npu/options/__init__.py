"""Options of the built-in NPU: one table, checked values, and the target that they resolve to."""

from .claims import check_options
from .log import DelegateLog
from .options import Options
from .properties import property_of
from .resolve import described, target_of, why_absent_of
from .table import COMPILED, OPTIONS

__all__ = [
    "COMPILED",
    "OPTIONS",
    "DelegateLog",
    "Options",
    "check_options",
    "described",
    "property_of",
    "target_of",
    "why_absent_of",
]
