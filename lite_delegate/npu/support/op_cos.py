"""Cos: claimed without conditions of its own."""

from __future__ import annotations

from ._elementwise import unary

CHECK = unary("Cos")
