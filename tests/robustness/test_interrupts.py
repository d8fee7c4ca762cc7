"""Ctrl-C at any point: objects are usable after it, and nothing waits for ever."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model
from lite_delegate.basics.files import write_whole
from lite_delegate.delegate import current_token
from lite_delegate.delegate.calls.spans import current_clock
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate
from tests.robustness.interrupting import InterruptAt

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the points are those of CPython 3.11")
X = np.random.default_rng(0).random((1, 8, 8, 1)).astype(np.float32)
SECONDS = 60
"""For what takes milliseconds, before it counts as waiting for ever."""


def built() -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    model.build_from_file(model_path(), context=context)
    return model


def in_time(function: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert not thread.is_alive(), "waits for ever"
    return results[0]


def interrupted_everywhere(function: Callable[[], Any], after: Callable[[str], None], step: int) -> int:
    """Interrupts a call at every ``step``-th point; the number of points tried."""
    number = count = 0
    while True:
        at = InterruptAt(number)
        at.call(function)
        if not at.place:
            return count
        assert (current_clock(), current_token()) == (None, None), f"{at.place}: the thread still counts as running"
        after(at.place)
        number, count = number + step, count + 1


def check(model: Model, expected: Any, place: str) -> None:
    """The model predicts, and nobody counts as predicting."""

    def use() -> Any:
        return model.predict([X])[0].data

    np.testing.assert_array_equal(in_time(use), expected, err_msg=f"after an interrupt at {place}")
    lease = model.compiled._scheduled.lease
    assert lease.suspend(), f"after an interrupt at {place}: a prediction still counts as under way"
    lease.resume()


def test_in_predict() -> None:
    model = built()
    expected = model.predict([X])[0].data
    tried = interrupted_everywhere(lambda: model.predict([X]), lambda place: check(model, expected, place), 3)
    assert tried > 50


def test_in_the_prediction_of_a_request() -> None:
    model = built()
    expected, request = model.predict([X])[0].data, model.compiled.create_infer_request()

    def after(place: str) -> None:
        np.testing.assert_array_equal(in_time(lambda: request.infer([X]))[0], expected, err_msg=place)

    assert interrupted_everywhere(lambda: request.infer([X]), after, 3) > 50


def test_in_resize() -> None:
    model, sizes = built(), [[[2, 8, 8, 1]], [[1, 8, 8, 1]]]
    expected = model.predict([X])[0].data

    def there_and_back() -> None:
        for shapes in sizes:
            model.resize(model.get_inputs(), shapes)

    def after(place: str) -> None:
        in_time(there_and_back)
        check(model, expected, place)

    there_and_back()
    assert interrupted_everywhere(there_and_back, after, 7) > 20


def test_in_build() -> None:
    """The delegate is shared with a model that goes on."""
    delegate, other = NPUDelegate(), Model()
    context = Context()
    context.set_delegate(delegate)
    other.build_from_file(model_path(), context=context)
    expected = other.predict([X])[0].data

    def build() -> None:
        model = Model()
        model.build_from_file(model_path(), context=context)
        model.close()

    build()
    assert interrupted_everywhere(build, lambda place: check(other, expected, place), 4_003) > 10


def test_in_close() -> None:
    """Closing again ends what was interrupted."""

    def after(place: str) -> None:
        in_time(model.close)
        assert model.compiled_was._scheduled.lease.is_closed, place  # type: ignore[attr-defined]

    for number in range(0, 60, 2):
        model = built()
        model.compiled_was = model.compiled  # type: ignore[attr-defined]
        at = InterruptAt(number)
        at.call(model.close)
        after(at.place)


def test_in_writing_a_file(tmp_path: Path) -> None:
    """What was there stays until all of the new is there, and nothing else is left."""
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def after(place: str) -> None:
        assert path.read_bytes() in (b"old", b"new"), place
        assert [each.name for each in tmp_path.iterdir()] == ["file"], place

    assert interrupted_everywhere(lambda: write_whole(path, b"new"), after, 1) > 5
