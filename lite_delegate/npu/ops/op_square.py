"""Square: one lookup."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Square", Function.SQUARE)
