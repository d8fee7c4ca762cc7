"""What the layout data says of one table field."""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """One field of a table.

    Attributes:
        id: position in the table; the vtable offset is ``4 + 2 * id``.
        name: the schema's spelling.
        kind: ``"scalar"``, ``"string"``, ``"scalars"`` (vector), ``"table"``, ``"tables"`` (vector), ``"union"``
            (its tag is the field before), or ``"deprecated"``.
        type: the storage type of a scalar (``"long"``), the table's or the union's name; empty for a string.
        enum: the enum of a scalar, None where there is none.
        default: what an absent scalar reads as; 0 for everything else.
    """

    id: int
    name: str
    kind: str
    type: str
    enum: str | None = None
    default: int | float = 0
