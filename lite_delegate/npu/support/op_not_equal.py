"""NotEqual: what may be claimed."""

from __future__ import annotations

from ._comparison import comparison
from ._elementwise import ANY

CHECK = comparison("NotEqual", ANY)
