"""LogicalOr: one logical function."""

from __future__ import annotations

from ..device.logic import LogicalFunction
from ._elementwise import logical

LOWERING = logical("LogicalOr", LogicalFunction.OR)
