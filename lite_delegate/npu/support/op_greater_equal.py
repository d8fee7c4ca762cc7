"""GreaterEqual: what may be claimed."""

from __future__ import annotations

from ._comparison import comparison

CHECK = comparison("GreaterEqual")
