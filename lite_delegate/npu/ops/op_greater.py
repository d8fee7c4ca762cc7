"""Greater: one comparison."""

from __future__ import annotations

from ..device.comparison import Comparison
from ._elementwise import comparison

LOWERING = comparison("Greater", Comparison.GREATER)
