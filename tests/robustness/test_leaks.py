"""Predictions, builds and resizes leave nothing behind: a short form of ``leaking``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from mmap import mmap
from threading import Event, Thread

import pytest

from tests.robustness.leaking import builds, growth, held, leaks, predictions, resizes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.mark.parametrize(("make", "count"), [(predictions, 200), (builds, 20), (resizes, 40)])
def test_nothing_is_left_behind(make: Callable[[int], Callable[[], None]], count: int) -> None:
    assert leaks(*growth(make(count)), count) == []


def test_what_is_left_behind_is_seen() -> None:
    kept: list[object] = []
    stop = Event()

    def objects() -> None:
        kept.extend([] for _ in range(2_000))

    def memory() -> None:
        pages = mmap(-1, 32 << 20)  # not of the allocator, which may have that much left over
        pages.write(bytes(len(pages)))
        kept.append(pages)

    def handles() -> None:
        kept.append(os.open(os.devnull, os.O_RDONLY))

    def threads() -> None:
        Thread(target=stop.wait, daemon=True).start()

    for leak in (objects, memory, handles, threads):
        before = held()
        leak()
        assert leak.__name__ in leaks(before, held(), 100)
    stop.set()
    os.close(next(each for each in kept if isinstance(each, int)))
