"""Calls measured in turns: before each comes a rest, in which the others' threads stop waiting for work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

REST_SECONDS = 0.1
CALLS_PER_TURN = 3
TURN_SECONDS = 0.01
"""A turn lasts as long at least: right after a rest, calls of microseconds find nothing in the processor's caches."""

Turn = Callable[[], list[float]]
"""Takes one turn, and gives the seconds of its calls."""


def take_turns(calls: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Seconds of each call of each, in turns."""
    return in_turns([partial(turn_of, call) for call in calls], rounds)


def in_turns(turns: Sequence[Turn], rounds: int) -> list[list[float]]:
    """The times of turns that measure their calls themselves, by turn."""
    times: list[list[float]] = [[] for _ in turns]
    for _ in range(rounds):
        for turn, mine in zip(turns, times, strict=True):
            time.sleep(REST_SECONDS)
            mine += turn()
    return times


def turn_of(call: Callable[[], object]) -> list[float]:
    """Seconds of each call of one turn, after one that is not measured."""
    call()
    begun, taken = time.perf_counter(), list[float]()
    while len(taken) < CALLS_PER_TURN or time.perf_counter() - begun < TURN_SECONDS:
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return taken
