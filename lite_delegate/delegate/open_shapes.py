"""Open shapes: the model of a plan that plans for other shapes of the inputs may follow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ORIGIN: ContextVar[object | None] = ContextVar("lite_delegate_open_origin", default=None)


def open_origin() -> object | None:
    """The origin that plans for several shapes share; None where no other plans may follow. See
    ``DelegateModel.origin``.
    """
    return _ORIGIN.get()


@contextmanager
def planning_open(origin: object | None) -> Iterator[None]:
    """Marks the plan of the block as one that plans of ``origin`` for other shapes may follow; None: they may not."""
    before = _ORIGIN.set(origin)
    try:
        yield
    finally:
        _ORIGIN.reset(before)
