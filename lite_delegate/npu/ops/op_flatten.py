"""Flatten: a view of the input in model order."""

from __future__ import annotations

from ._view import view

LOWERING = view("Flatten")
