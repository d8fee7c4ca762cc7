"""Pinning: a thread of the host stays on one CPU while it drives the device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import get_native_id

CAN_PIN = hasattr(os, "sched_setaffinity")
"""True where this system lets a thread choose its CPUs."""


def pinned(pin: bool) -> AbstractContextManager[None]:
    """Keeps the calling thread on one of its CPUs; different threads choose different CPUs.

    Args:
        pin: False: the context does nothing.
    """
    return _on_one_cpu() if pin and CAN_PIN else nullcontext()


@contextmanager
def _on_one_cpu() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    usable = sorted(before)
    os.sched_setaffinity(0, {usable[get_native_id() % len(usable)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
