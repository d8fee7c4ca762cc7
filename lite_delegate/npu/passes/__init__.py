"""What is done to a run's instructions between lowering and scheduling; each pass keeps what is computed."""

from __future__ import annotations

from ..target import Target
from .module_pass import ModulePass, check_order, run_module_passes


def passes_for(target: Target) -> tuple[ModulePass, ...]:
    """The passes for a target, in the order in which they run."""
    return ()


__all__ = ["ModulePass", "check_order", "passes_for", "run_module_passes"]
