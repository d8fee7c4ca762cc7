"""Threads: how many of the host's a prediction of the model that is planned may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ALLOWED: ContextVar[int] = ContextVar("lite_delegate_allowed_threads", default=0)


def allowed_threads() -> int:
    """Threads of the host that one prediction may take; 0: nobody says. See ``DelegateModel.threads``."""
    return _ALLOWED.get()


@contextmanager
def allowing(threads: int) -> Iterator[None]:
    """In the block a model is planned whose predictions may take as many threads; 0: nobody says."""
    before = _ALLOWED.set(threads)
    try:
        yield
    finally:
        _ALLOWED.reset(before)
