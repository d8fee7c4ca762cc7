"""Round: what may be claimed."""

from __future__ import annotations

from ._elementwise import unary

CHECK = unary("Round")
