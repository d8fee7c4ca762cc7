"""Rewriting: whether delegates may put the model that is planned in other forms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ALLOWED: ContextVar[bool] = ContextVar("lite_delegate_rewrites_allowed", default=True)


def rewrites_allowed() -> bool:
    """Whether delegates may hand over equal forms. See ``DelegateModel.rewrites``."""
    return _ALLOWED.get()


@contextmanager
def rewriting(allowed: bool) -> Iterator[None]:
    """In the block a model is planned that delegates may rewrite, or may not."""
    before = _ALLOWED.set(allowed)
    try:
        yield
    finally:
        _ALLOWED.reset(before)
