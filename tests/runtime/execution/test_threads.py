from __future__ import annotations

from threadpoolctl import threadpool_info, threadpool_limits

from lite_delegate.runtime.execution.threads import limited_threads


def numbers() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_limits_that_overlap_leave_what_was_there_before() -> None:
    """Of two predictions at once, the one that began first ends first."""
    with threadpool_limits(2, user_api="blas"):
        first, second = limited_threads(1), limited_threads(1)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert numbers() == {1}
        second.__exit__(None, None, None)
        assert numbers() == {2}


def test_no_limit_is_none() -> None:
    before = numbers()
    with limited_threads(0):
        assert numbers() == before
