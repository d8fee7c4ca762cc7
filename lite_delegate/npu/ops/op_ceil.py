"""Ceil: one lookup."""

from __future__ import annotations

from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Ceil", Function.CEIL)
