"""Lockstep: threads of Python code take turns line by line, so that conflicts over shared state show."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Condition
from types import FrameType
from typing import Any

PATIENCE = 0.02
"""Seconds that a thread waits for its turn; the other one may wait for a lock that this one holds."""
START_SECONDS = 1.0
"""Seconds that a thread waits for the other one to be there."""
MAX_STEPS = 400
"""Lines of each thread; then both run freely."""
OWN = tuple(
    f"lite_delegate.{room}" for room in ("conformance", "delegate", "inference", "ir", "numerics", "runtime", "tensors")
)
"""Modules that are no delegate's, so that their lines do not count; nor do those of libraries that come below."""
BELOW = ("abc", "numpy", "lite_delegate_kernels", "lite_delegate_fast", "threading", "threadpoolctl", "contextlib")


class Lockstep:
    """Turns of two threads, numbered 0 and 1. Where one waits for the other in another way, both run freely.

    Args:
        function: what both run, with their number.
    """

    def __init__(self, function: Callable[[int], str]) -> None:
        self._function = function
        self._start = Barrier(2)
        self._news = Condition()
        self._turn = 0
        self._is_free = False

    def run(self, number: int) -> str:
        """Runs the function in this thread, in turns with the other thread's."""
        with suppress(BrokenBarrierError):
            self._start.wait(START_SECONDS)
        before, steps = sys.gettrace(), 0

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal steps
            if event == "line" and steps < MAX_STEPS:
                steps += 1
                self._next(number)
            return local

        def called(frame: FrameType, event: str, argument: Any) -> Any:
            name = frame.f_globals.get("__name__", "")
            is_followed = steps < MAX_STEPS and not self._is_free and not name.startswith((*OWN, *BELOW))
            return local if is_followed else None

        sys.settrace(called)
        try:
            return self._function(number)
        finally:
            sys.settrace(before)
            with self._news:
                self._is_free = True
                self._news.notify_all()

    def _next(self, number: int) -> None:
        with self._news:
            if self._is_free:
                return
            self._turn = 1 - number
            self._news.notify_all()
            if not self._news.wait_for(lambda: self._turn == number or self._is_free, PATIENCE):
                self._is_free = True
                self._news.notify_all()
