"""LogicalAnd: one logical function."""

from __future__ import annotations

from ..device.logic import LogicalFunction
from ._elementwise import logical

LOWERING = logical("LogicalAnd", LogicalFunction.AND)
