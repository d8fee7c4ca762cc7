"""Round: one lookup; halves go to the even number."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Round", Function.ROUND)
