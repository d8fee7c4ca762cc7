"""LogicalNot: what may be claimed."""

from __future__ import annotations

from ._elementwise import ANY, unary

CHECK = unary("LogicalNot", ANY)
