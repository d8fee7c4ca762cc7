"""DeadCode: removes steps that no output depends on."""

from __future__ import annotations

from ..ir.editing import without_dead
from ..ir.module import Module
from .module_pass import ModulePass


class DeadCode(ModulePass):
    """Leaves out the steps and buffers that no output depends on. Exact.

    1. A step whose result nobody reads goes away, and so do the steps and constants that only it read.
    2. A constant and an input that nobody reads go away; such an input does not cross any more.
    3. A buffer that nobody fills or reads goes away; the remaining buffers are numbered anew, in the same order.

    No pass leaves dead code behind, so once, at the front, is enough.
    """

    name = "dead-code"

    def rewrite(self, module: Module) -> Module:
        return without_dead(module)
