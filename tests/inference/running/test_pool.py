"""Pools: what one use at a time has for itself, and what waits for the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lite_delegate import InputError
from lite_delegate.inference.compiling.compilation import compile_graph
from lite_delegate.inference.model.calls import Calls
from lite_delegate.inference.running.pool import Pool
from lite_delegate.inference.running.runner import Runner
from lite_delegate.runtime.settings import Settings
from tests.runtime.graphs import chain


class Holding:
    """Holds as many bytes as its number says."""

    def __init__(self, number: int) -> None:
        self.number = number

    def give_back_memory(self) -> int:
        return self.number


def numbered(most_idle: int | None = None) -> Pool[Holding]:
    made: list[Holding] = []

    def make() -> Holding:
        made.append(Holding(len(made) + 1))
        return made[-1]

    return Pool(make, most_idle)


def test_the_last_that_was_put_back_is_taken_next_and_new_ones_are_made_where_none_waits() -> None:
    pool = numbered()
    first, second = pool.take(), pool.take()
    assert [first.number, second.number] == [1, 2]
    pool.put(first)
    pool.put(second)
    assert pool.take() is second
    assert pool.take() is first
    assert pool.take_idle() is None
    assert pool.take().number == 3


def test_released_entries_are_counted_with_their_bytes() -> None:
    pool = numbered()
    taken = [pool.take() for _ in range(3)]
    pool.put(taken[0])
    pool.put(taken[2])
    assert pool.release() == 1 + 3
    assert pool.release() == 0
    assert pool.take().number == 4


def test_no_more_wait_than_may() -> None:
    pool = numbered(most_idle=2)
    for each in [pool.take() for _ in range(3)]:
        pool.put(each)
    assert pool.release() == 2 + 3


def test_a_runner_goes_on_waiting_where_inputs_are_rejected() -> None:
    compiled, made = compile_graph(chain(1), Settings()), []

    def make() -> Runner:
        made.append(compiled.create_runner())
        return made[-1]

    calls = Calls(replace(compiled.setup, make_runner=make, optimal_requests=1), compiled.create_infer_request)
    for _ in range(3):
        with pytest.raises(InputError):
            calls.infer([np.zeros((3, 3), np.float32)])
        np.testing.assert_array_equal(calls.infer([np.ones((2, 3), np.float32)])[0], np.full((2, 3), 2))
    assert len(made) == 1
