"""The precision that a delegate promises of its own numbers, and the checks that are left out for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...delegate import Delegate
from .case import Array, ConformanceCase
from .chain import Chain


def granted_steps(delegate: Delegate | None, chain: Chain) -> int:
    """The steps by which a chain's 8-bit outputs may be off: those of its nodes together."""
    if delegate is None:
        return 0
    steps = delegate.quantized_steps
    return sum(steps.get(node.op_type, 0) for node in chain.nodes if node.quantization is not None)


def has_special_values(case: ConformanceCase) -> bool:
    """Whether NaN or infinities are among the inputs."""
    return any(x is not None and not _finite(x).all() for x in case.inputs)


def tamed(case: ConformanceCase) -> ConformanceCase:
    """The case with finite numbers in place of NaN and infinities, and the outputs that it had."""
    return replace(case, inputs=tuple(None if x is None else _tamed(x) for x in case.inputs))


def _tamed(x: Array) -> Array:
    """NaN and infinities become the array's first finite number, 1 where it has none."""
    finite = _finite(x)
    if finite.all():
        return x
    instead = x[finite][0] if finite.any() else x.dtype.type(1)
    return np.where(finite, x, instead)


def _finite(x: Array) -> Array:
    return np.isfinite(x) if x.dtype.kind in "fc" else np.ones(x.shape, bool)
