"""Lowering: how one operator becomes instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...delegate import Kernel
from .builder import Builder


@dataclass(frozen=True, slots=True)
class Lowering:
    """An entry of the table of operators.

    Attributes:
        op_type: the operator's name in the schema.
        lower: emits the instructions for a kernel that the support check has claimed.
    """

    op_type: str
    lower: Callable[[Kernel, Builder], None]
