"""Predictions, builds and resizes leave nothing behind: a short form of ``leaking``.

Each is measured in a process of its own: the memory of a worker that has run other tests for minutes grows and shrinks
by what the allocator and the threads of those tests do meanwhile.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from mmap import mmap
from threading import Event, Thread

import pytest

from tests.commands import FORKS
from tests.robustness.leaking import builds, growth, leaks, predictions, resizes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
Make = Callable[[int], Callable[[], None]]
KEPT: list[object] = []


def found(make: Make, count: int) -> list[str]:
    """What grew in a new process that made the same twice."""
    with ProcessPoolExecutor(1, FORKS) as process:
        return leaks(*process.submit(growth, make, count).result(), count)


@pytest.mark.parametrize(("make", "count"), [(predictions, 200), (builds, 20), (resizes, 40)])
def test_nothing_is_left_behind(make: Make, count: int) -> None:
    assert found(make, count) == []


def objects(count: int) -> Callable[[], None]:
    return lambda: KEPT.extend([] for _ in range(20 * count))


def memory(count: int) -> Callable[[], None]:
    def run() -> None:
        pages = mmap(-1, 32 << 20)  # not of the allocator, which may have that much left over
        pages.write(bytes(len(pages)))
        KEPT.append(pages)

    return run


def handles(count: int) -> Callable[[], None]:
    return lambda: KEPT.append(os.open(os.devnull, os.O_RDONLY))


def threads(count: int) -> Callable[[], None]:
    return lambda: Thread(target=Event().wait, daemon=True).start()


@pytest.mark.parametrize("leak", [objects, memory, handles, threads])
def test_what_is_left_behind_is_seen(leak: Make) -> None:
    assert found(leak, 100) == [leak.__name__]
