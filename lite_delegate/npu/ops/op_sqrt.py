"""Sqrt: one lookup. NOTE: NaN for what is negative, where the runtime's CPU kernel fails."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Sqrt", Function.SQRT)
