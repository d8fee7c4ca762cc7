"""FloorDiv: one binary instruction."""

from __future__ import annotations

from ..device.binary import BinaryFunction
from ._elementwise import binary

LOWERING = binary("FloorDiv", BinaryFunction.FLOOR_DIV)
