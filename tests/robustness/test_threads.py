"""Threads that predict, resize, build and close on shared models."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from lite_delegate import Context, Delegate, InputError, Model, ModelClosed
from lite_delegate.npu import NPUDelegate
from tests.runtime.graphs import chain

ROUNDS = 40
SECONDS = 120
"""For what takes a second or two, before threads count as waiting for each other."""


def built(delegate: Delegate | None) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.cpu.thread_num = 1
    model.build_from_graph(chain(4, (-1, 3)), context)
    return model


def check(model: Model, batch: int, seed: int) -> bool:
    """The chain adds 1, 2, 3 and 4; false where the model has another shape now, or is closed."""
    x = np.random.default_rng(seed).integers(-9, 9, (batch, 3)).astype(np.float32)
    try:
        (result,) = model.predict([x])
    except (InputError, ModelClosed):
        return False
    np.testing.assert_array_equal(result.data, x + 10)
    return True


def together(*functions: Callable[[], object]) -> None:
    """Calls functions in threads of their own, which begin at once; raises what one of them raises."""
    start = Barrier(len(functions))

    def begin(function: Callable[[], object]) -> None:
        start.wait(SECONDS)
        function()

    with ThreadPoolExecutor(len(functions)) as pool:
        for future in [pool.submit(begin, function) for function in functions]:
            future.result(SECONDS)


@pytest.mark.parametrize("make", [lambda: None, NPUDelegate], ids=["cpu", "npu"])
def test_predictions_are_right_or_rejected_while_others_resize_build_and_close(
    make: Callable[[], Delegate | None],
) -> None:
    model = built(make())
    right: list[bool] = []

    def predict(batch: int) -> Callable[[], None]:
        return lambda: right.extend(check(model, batch, seed) for seed in range(ROUNDS))

    def resize() -> None:
        for number in range(ROUNDS):
            model.resize(model.get_inputs(), [[2 + number % 2, 3]])

    def build() -> None:
        for seed in range(ROUNDS // 8):
            with built(make()) as own:
                assert check(own, 5, seed)

    together(predict(2), predict(3), predict(2), resize, build, build)
    assert any(right)
    model.resize(model.get_inputs(), [[2, 3]])
    assert check(model, 2, 0)

    together(predict(2), predict(2), model.close, model.close)
    assert not check(model, 2, 0)
