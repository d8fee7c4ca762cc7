"""Whether somebody keeps the compiled model that is made now: a device's own cache need not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IS_KEPT: ContextVar[bool] = ContextVar("lite_delegate_result_is_kept", default=False)


@contextmanager
def keeping_result() -> Iterator[None]:
    """Compilations of this thread in the block are kept by the caller."""
    before = _IS_KEPT.set(True)
    try:
        yield
    finally:
        _IS_KEPT.reset(before)


def result_is_kept() -> bool:
    """True while this thread compiles a model that another cache keeps."""
    return _IS_KEPT.get()
