"""Assert: stops the model where a condition does not hold."""

from __future__ import annotations

from ._dtypes import check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel

_SHOWN_BY_DEFAULT = 3


def assert_(condition: Array, *data: Array, summarize: int = 0, output_count: int = 0) -> Array | tuple[Array, ...]:
    """Fails unless every element of ``condition`` is True.

    Args:
        condition: bool, any shape, in practice a scalar.
        data: any arrays, shown in the error.
        summarize: how many elements of each array are shown; 3 where it is below 1, as in TensorFlow by default.
        output_count: 0, or 1 for the condition itself as an output that others can wait for.

    Returns:
        Nothing (an empty tuple), or the condition.

    Raises:
        KernelInputError: an element of ``condition`` is False.
    """
    if not condition.all():
        count = summarize if summarize > 0 else _SHOWN_BY_DEFAULT
        shown = "".join(f", {x.reshape(-1)[:count].tolist()}{'...' if x.size > count else ''}" for x in data)
        raise KernelInputError(f"the asserted condition is False{shown}")
    return condition if output_count else ()


def infer_assert(condition: ArraySpec, *data: ArraySpec, output_count: int) -> ArraySpec | tuple[ArraySpec, ...]:
    """No outputs, or the spec of ``condition``; raises KernelInputError unless it is bool, for more outputs than 1."""
    check_dtype(condition, ("bool",))
    if output_count not in (0, 1):
        raise KernelInputError(f"0 or 1 outputs expected, got {output_count}")
    return ArraySpec(condition.dtype, condition.shape) if output_count else ()


KERNEL = ReferenceKernel("Assert", assert_, infer_assert, ("bool",), needs_output_count=True)
