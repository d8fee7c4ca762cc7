"""SupportCheck: an entry of the table of operators that the delegate may claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...delegate import Kernel, SupportResult
from ..profiles import Profile


@dataclass(frozen=True, slots=True)
class SupportCheck:
    """An entry of the table.

    Attributes:
        op_type: the operator's name in the schema.
        check: the claim or the first reason against it. Changes nothing; what it claims compiles and runs.
    """

    op_type: str
    check: Callable[[Kernel, Profile], SupportResult]
