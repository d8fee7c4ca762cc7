"""LogicalOr: what may be claimed."""

from __future__ import annotations

from ._elementwise import ANY, binary

CHECK = binary("LogicalOr", ANY)
