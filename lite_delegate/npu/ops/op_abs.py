"""Abs: one lookup; of integers one exact function.

NOTE: MindSpore Lite's NPU takes the root of the square, which overflows above 255.
"""

from __future__ import annotations

from ..device.integer import IntegerFunction
from ..device.lookup import Function
from ._elementwise import unary

LOWERING = unary("Abs", Function.ABS, IntegerFunction.ABS)
