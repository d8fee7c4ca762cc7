"""Passes over a run's instructions between lowering and scheduling; each keeps the results."""

from __future__ import annotations

from ..ir.target import Target
from .boundary import PackAtBoundary
from .canonicalize import Canonicalize
from .common_subexpressions import CommonSubexpressions
from .cross_unpacked import CrossUnpacked
from .dead_code import DeadCode
from .fusion import FoldAffine, FuseActivations, FusePools
from .layouts import PlacePermutes
from .matmul_transposes import MatMulTransposes
from .module_pass import ModulePass, check_order, run_module_passes
from .precision import PrecisionIslands


def passes_for(target: Target) -> tuple[ModulePass, ...]:
    """The passes for a target, in the order in which they run.

    Optimization level 0 only tidies up, and lets the copies that cross permute; level 1 adds passes that make programs
    smaller and faster; level 2 adds passes that pay in few models. Without ``hw_stages`` no activation and no pool
    becomes part of another instruction. With the compute layout NHWC tensors cross as the host has them, and the device
    permutes. With ``islands`` a float16 program keeps sensitive results in float32, on every level.
    """
    passes: list[ModulePass] = [DeadCode(), Canonicalize(), PackAtBoundary()]
    if target.optimization_level >= 1:
        passes += [CommonSubexpressions(), PlacePermutes()]
    if target.optimization_level >= 2:
        passes.append(MatMulTransposes())
    if target.optimization_level >= 1:
        passes.append(FoldAffine())
        if target.hw_stages:
            passes += [FuseActivations(), FusePools()]
    if target.islands:
        passes.append(PrecisionIslands())
    if target.compute_layout == "NHWC":
        passes.append(CrossUnpacked())
    return tuple(passes)


__all__ = ["ModulePass", "check_order", "passes_for", "run_module_passes"]
