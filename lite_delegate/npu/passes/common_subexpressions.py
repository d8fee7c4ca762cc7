"""CommonSubexpressions: equal computations are done once."""

from __future__ import annotations

from typing import ClassVar

from ..ir.editing import Edit
from ..ir.module import Module
from .canonicalize import Canonicalize
from .module_pass import ModulePass


class CommonSubexpressions(ModulePass):
    """Computes what several steps compute alike only once. Exact.

    1. Of steps with equal instructions on the same operands, and results of the same element type, the first
       stays, and the readers of the others read its result. Chains of equal steps fall together from the front.
    2. Constant buffers of one shape and element type that are made by the very same function become one.

    Constants with equal contents made by different functions stay apart: nothing is computed at this time.
    Parameters count as equal when they are written the same, so 0.0 and -0.0 differ.
    """

    name = "common-subexpressions"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (Canonicalize,)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        known: dict[tuple[object, ...], int] = {}
        for index, make in module.constants.items():
            _merge(edit, known, (id(make), edit.buffer(index)), index)
        for output in list(edit.steps):
            step = edit.steps[output]
            _merge(edit, known, (repr(step.instruction), step.operands, edit.buffer(output)), output)
        return edit.finish()


def _merge(edit: Edit, known: dict[tuple[object, ...], int], key: tuple[object, ...], index: int) -> None:
    """Makes the readers of buffer ``index`` read the first buffer of the same key, unless it is the first."""
    first = known.setdefault(key, index)
    if first != index:
        edit.redirect(index, first)
