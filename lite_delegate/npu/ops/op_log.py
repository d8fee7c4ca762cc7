"""Log: one lookup. NOTE: NaN or -inf for what is not positive, where the runtime's CPU kernel fails."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Log", Function.LOG)
