"""Pinning: a thread of the host stays on one CPU while it drives the device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_native_id

CAN_PIN = hasattr(os, "sched_setaffinity")
"""Whether this system lets a thread choose its CPUs."""


@contextmanager
def pinned(pin: bool) -> Iterator[None]:
    """Keeps the calling thread on one CPU of those it may use; different threads choose different ones.

    Args:
        pin: False for nothing.
    """
    if not pin or not CAN_PIN:
        yield
        return
    before = os.sched_getaffinity(0)
    usable = sorted(before)
    os.sched_setaffinity(0, {usable[get_native_id() % len(usable)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
