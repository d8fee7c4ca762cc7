"""What is done to a run's instructions between lowering and scheduling; each pass keeps what is computed."""

from __future__ import annotations

from ..target import Target
from .boundary import Boundary
from .canonicalise import Canonicalise
from .common_subexpressions import CommonSubexpressions
from .dead_code import DeadCode
from .layouts import PlacePermutes
from .module_pass import ModulePass, check_order, run_module_passes


def passes_for(target: Target) -> tuple[ModulePass, ...]:
    """The passes for a target, in the order in which they run.

    Optimisation level 0 only tidies up; 1 adds what makes programs smaller and faster.
    """
    if target.optimization_level == 0:
        return (Canonicalise(), Boundary(), DeadCode())
    return (Canonicalise(), CommonSubexpressions(), Boundary(), PlacePermutes(), DeadCode())


__all__ = ["ModulePass", "check_order", "passes_for", "run_module_passes"]
