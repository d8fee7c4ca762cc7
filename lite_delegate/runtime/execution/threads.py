"""How many threads the math library may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    """The math libraries of this process; looked up once, because that takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def limited_threads(thread_num: int) -> Iterator[None]:
    """Limits the math library to ``thread_num`` threads; 0 leaves it alone.

    The setting is the process's: predictions that ask for different numbers at the same time share the last one set.
    """
    if thread_num == 0:
        yield
        return
    with _controller().limit(limits=thread_num):
        yield
