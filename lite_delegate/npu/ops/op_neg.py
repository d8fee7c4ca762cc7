"""Neg: one lookup; of integers one exact function."""

from __future__ import annotations

from ..device.integer import IntegerFunction
from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Neg", Function.NEG, IntegerFunction.NEG)
