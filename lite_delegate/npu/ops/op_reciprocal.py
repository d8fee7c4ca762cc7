"""Reciprocal: one lookup. NOTE: infinite for 0, where the runtime's CPU kernel fails."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Reciprocal", Function.RECIPROCAL)
