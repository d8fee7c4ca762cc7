"""Tokens of runs that somebody may cancel."""

from __future__ import annotations

import threading

import pytest

from lite_delegate import RequestCancelled, cancel_point
from lite_delegate.delegate import CancelToken, reset_token, set_token


def test_a_thread_that_computes_nothing_is_never_stopped():
    cancel_point()


def test_a_run_is_stopped_where_it_looks_and_its_token_counts_looks():
    token = CancelToken()
    before = set_token(token)
    try:
        cancel_point()
        token.cancel()
        with pytest.raises(RequestCancelled):
            cancel_point()
        assert token.looks == 2
    finally:
        reset_token(before)
    cancel_point()


def test_another_thread_is_not_stopped():
    token, passed = CancelToken(), threading.Event()
    token.cancel()
    before = set_token(token)
    try:

        def look() -> None:
            cancel_point()
            passed.set()

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    finally:
        reset_token(before)
    assert passed.is_set()


def test_who_waits_is_woken_as_long_as_it_waits():
    token, woken = CancelToken(), []
    with token.waking(lambda: woken.append("inside")):
        pass
    with token.waking(lambda: woken.append("waiting")):
        token.cancel()
    assert woken == ["waiting"]


def test_who_was_cancelled_does_not_begin_to_wait():
    token = CancelToken()
    token.cancel()
    with pytest.raises(RequestCancelled), token.waking(lambda: None):
        pytest.fail("it waits")
