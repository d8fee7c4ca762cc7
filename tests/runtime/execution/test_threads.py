from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from time import monotonic, sleep

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from lite_delegate.runtime.execution import threads
from lite_delegate.runtime.execution.threads import divided_threads, limited_threads
from tests.math_threads import numpy_threads


@pytest.fixture(autouse=True)
def _nobody_has_a_limit() -> None:
    """Workers that tests before have left at work keep theirs for a while; limits are the process's."""
    np.dot(np.ones((2, 2)), np.ones((2, 2)))  # the math library is there
    end = monotonic() + 30
    while threads._LIMITS._users:
        assert monotonic() < end, "a limit was never left"
        sleep(0.01)


def test_limits_that_overlap_leave_what_was_there_before() -> None:
    """Of two predictions at once, the one that began first ends first."""
    with threadpool_limits(2, user_api="blas"):
        first, second = limited_threads(1), limited_threads(1)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert numpy_threads() == {1}
        second.__exit__(None, None, None)
        assert numpy_threads() == {2}


@pytest.mark.parametrize("limit", [limited_threads, divided_threads])
def test_every_thread_may_set_a_limit_whoever_has_set_one_before(
    limit: Callable[[int], AbstractContextManager[None]],
) -> None:
    """Also while the thread that was the first to set one goes on, with a limit or without."""

    def inside(number: int) -> set[int]:
        with limit(number):
            return numpy_threads()

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(1) as second, ThreadPoolExecutor(1) as third:
        assert inside(1) == {1}
        assert second.submit(inside, 1).result() == {1}
        assert third.submit(inside, 1).result() == {1}
        with limited_threads(1):
            assert second.submit(inside, 2).result() == {2}
        assert numpy_threads() == {2}


def test_no_limit_is_none() -> None:
    before = numpy_threads()
    with limited_threads(0):
        assert numpy_threads() == before


def test_what_the_libraries_take_anyway_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(**_: object) -> None:
        raise AssertionError("it was set")

    with threadpool_limits(2, user_api="blas"):
        with monkeypatch.context() as patched:
            patched.setattr(threads._controller(), "limit", never)
            with limited_threads(2):
                assert numpy_threads() == {2}
        with limited_threads(2), limited_threads(1):
            assert numpy_threads() == {1}
        assert numpy_threads() == {2}
