"""Processes that are forked, or spawned, from one in which threads predict, resize and build."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from threading import Event, Thread

import numpy as np
import pytest

from lite_delegate import Context, Model
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate

X = np.random.default_rng(0).random((1, 8, 8, 1)).astype(np.float32)
FORKS = 8
SECONDS = 60
"""For what takes a tenth of a second, before a child counts as waiting for ever."""

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def built() -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    context.cpu.thread_num = 1
    model.build_from_file(model_path(), context=context)
    return model


def in_child(function: Callable[[], bool]) -> int:
    """The status of a forked process that calls a function; killed where it does not end."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        try:
            os._exit(0 if function() else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(pid, 0)[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_children_use_and_close_what_threads_of_the_parent_are_using() -> None:
    model, stop = built(), Event()
    expected = model.predict([X])[0].data

    def predict() -> None:
        while not stop.is_set():
            model.predict([X])

    def resize() -> None:
        while not stop.is_set():
            model.resize(model.get_inputs(), [[1, 8, 8, 1]])

    def use() -> bool:
        model.resize(model.get_inputs(), [[1, 8, 8, 1]])
        same = np.array_equal(model.predict([X])[0].data, expected)
        model.close()
        other = built()
        return same and np.array_equal(other.predict([X])[0].data, expected)

    threads = [Thread(target=each) for each in (predict, predict, resize)]
    for thread in threads:
        thread.start()
    try:
        statuses = []
        for _ in range(FORKS):
            time.sleep(0.01)
            statuses.append(in_child(use))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * FORKS
    np.testing.assert_array_equal(model.predict([X])[0].data, expected)


def predicted() -> list[float]:
    """What a process of its own gives."""
    return built().predict([X])[0].data.ravel().tolist()


def test_a_spawned_process_gives_the_same() -> None:
    expected = predicted()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(predicted).get(SECONDS) == expected
