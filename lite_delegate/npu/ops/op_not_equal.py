"""NotEqual: one comparison."""

from __future__ import annotations

from ..device.comparison import Comparison
from ._elementwise import comparison

LOWERING = comparison("NotEqual", Comparison.NOT_EQUAL)
