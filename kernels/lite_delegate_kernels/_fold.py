"""Values known before the model runs: an operator over small constants is worked out during inference."""

from __future__ import annotations

from typing import Any

from ._kernel import UNKNOWN, ArraySpec, RunFunction
from ._shapes import element_count

FOLD_LIMIT = 1024
"""The most elements that are worked out: enough for shapes, axes and paddings, not for weights."""


def fold(spec: ArraySpec, run: RunFunction, *inputs: ArraySpec | None, **attributes: Any) -> ArraySpec:
    """``spec`` with the value that ``run`` gives, where every present input has a value and both sides are small.

    Raises:
        KernelInputError: from ``run``.
    """
    if any(x is not None and x.value is None for x in inputs):
        return spec
    if not all(_small(x) for x in (spec, *inputs)):
        return spec
    value = run(*(None if x is None else x.value for x in inputs), **attributes)
    return spec if isinstance(value, tuple) else ArraySpec(value.dtype, value.shape, value)


def _small(spec: ArraySpec | None) -> bool:
    if spec is None:
        return True
    return spec.shape is not None and UNKNOWN < element_count(spec.shape) <= FOLD_LIMIT
