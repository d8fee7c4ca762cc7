"""Neg: claimed without conditions of its own."""

from __future__ import annotations

from ._elementwise import INTEGERS, unary

CHECK = unary("Neg", INTEGERS)
