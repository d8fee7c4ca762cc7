"""ModelParallelRunner: many threads, right results, no more at once than there are workers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DelegateWarning,
    LiteDelegateError,
    ModelClosed,
    ModelParallelRunner,
    ModelType,
    RunnerConfig,
    Tensor,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import DataType, Graph, Node, Value
from lite_delegate.ir.custom import custom_primitive
from tests.runtime.graphs import chain


class Counter:
    """A custom operator that notes how many of it run at once."""

    def __init__(self, least: int) -> None:
        self.lock = threading.Lock()
        self.now = self.most = 0
        self.together = threading.Barrier(least)

    def __call__(self, inputs: Sequence[Any], attributes: Mapping[str, bytes]) -> Any:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.together.wait(60)
        with self.lock:
            self.now -= 1
        return inputs[0] * 2


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A model of one custom node."""
    x, y = (Value(name, DataType.FLOAT32, (4,)) for name in "xy")
    path = tmp_path / "counted.ms"
    write_ms(Graph("main", [x], [y], [Node("count", custom_primitive("test.count", {}), [x], [y])]), path)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.ms"
    write_ms(chain(2), path)
    return path


def test_sixteen_threads_get_right_results_from_as_many_workers_as_were_asked_for(counted: Path) -> None:
    counter, context = Counter(4), Context()
    context.register_custom("test.count", counter)
    context.parallel.workers_num = 4
    runner = ModelParallelRunner()
    runner.build_from_file(counted, context)

    def predict(number: int) -> bool:
        inputs = runner.get_inputs()
        inputs[0].set_data_from_numpy(np.full(4, number, np.float32))
        (output,) = runner.predict(inputs)
        return bool((output.get_data_to_numpy() == 2 * number).all())

    with ThreadPoolExecutor(16) as threads:
        # The barrier lets nobody pass before four are there; no more are, because the fifth has no turn.
        assert all(threads.map(predict, range(64)))
    assert (counter.most, runner.workers_num) == (4, 4)


def test_inputs_are_the_callers_own(plain: Path) -> None:
    runner = ModelParallelRunner()
    runner.build_from_file(plain)
    (first,), (second,) = runner.get_inputs(), runner.get_inputs()
    first.set_data_from_numpy(np.ones((2, 3), np.float32))
    second.set_data_from_numpy(np.zeros((2, 3), np.float32))
    assert first.get_data_to_numpy().all()
    assert not np.shares_memory(first.get_data_to_numpy(), second.get_data_to_numpy())
    assert runner.workers_num >= 1
    assert [meta.name for meta in runner.get_outputs()] == [meta.name for meta in runner.model.get_outputs()]


def test_given_outputs_are_filled(plain: Path) -> None:
    runner = ModelParallelRunner()
    runner.build_from_file(plain, ModelType.MINDIR_LITE, Context())
    (made,) = runner.predict([np.zeros((2, 3), np.float32)])
    given = Tensor(np.zeros(made.shape, np.float32))
    (filled,) = runner.predict((np.zeros((2, 3), np.float32),), [given])
    assert filled is given
    np.testing.assert_array_equal(given.data, made.data)


def test_a_turn_is_given_back_by_a_prediction_that_fails(plain: Path) -> None:
    context = Context()
    context.parallel.workers_num = 1
    runner = ModelParallelRunner()
    runner.build_from_file(plain, context)
    for _ in range(3):
        with pytest.raises(ValueError, match="expected"):
            runner.predict([np.zeros((5, 5), np.float32)])
    assert len(runner.predict([np.zeros((2, 3), np.float32)])) == 1


def test_older_scripts_configure_it_by_a_runner_config(plain: Path) -> None:
    context = Context()
    context.parallel.workers_num = 3
    assert RunnerConfig(context).parallel.workers_num == 3
    runner = ModelParallelRunner()
    runner.init(str(plain), RunnerConfig(context, 2))
    assert (runner.workers_num, context.parallel.workers_num) == (2, 3)
    assert str(runner) == f"model_path: {plain}."
    with pytest.raises(TypeError, match="runner_config must be RunnerConfig, but got dict"):
        ModelParallelRunner().init(str(plain), {})  # type: ignore[arg-type]


def test_what_is_wrong_with_its_life_is_said(plain: Path) -> None:
    runner = ModelParallelRunner()
    with pytest.raises(LiteDelegateError, match="call build_from_file first"):
        runner.get_inputs()
    with runner:
        runner.build_from_file(plain)
        with pytest.raises(LiteDelegateError, match="built already"):
            runner.build_from_file(plain)
    with pytest.raises(ModelClosed):
        runner.predict([np.zeros((2, 3), np.float32)])
    with pytest.raises(RuntimeError, match=r"absent\.ms"):
        ModelParallelRunner().build_from_file("absent.ms")
    with pytest.raises(TypeError, match="context must be Context, but got str"):
        ModelParallelRunner().build_from_file(plain, ModelType.MINDIR_LITE, "cpu")  # type: ignore[arg-type]


def test_the_settings_are_checked_as_they_are_set(tmp_path: Path, plain: Path) -> None:
    parallel = Context().parallel
    assert (parallel.workers_num, parallel.config_info, parallel.config_path, parallel.device_ids) == (0, "", "", [])
    with pytest.raises(ValueError, match="workers_num must be a non-negative int, got -1"):
        parallel.workers_num = -1
    with pytest.raises(TypeError, match=r"parallel\.workers_num must be int, but got float"):
        parallel.workers_num = 1.5  # type: ignore[assignment]
    with pytest.raises(ValueError, match="is not a file"):
        parallel.config_path = str(tmp_path / "absent")
    with pytest.raises(ValueError, match="non-negative"):
        parallel.device_ids = [0, -1]
    with pytest.raises(TypeError, match="must be dict, but got str"):
        parallel.config_info = {"weight": "w"}  # type: ignore[dict-item]
    parallel.config_info = {"weight": {"weight_path": "w.bin"}}
    assert parallel.config_info == "weight: weight_path w.bin\n"


def test_its_configuration_reaches_the_model(plain: Path) -> None:
    context = Context()
    context.parallel.config_info = {"weight": {"weight_path": "w.bin"}}
    with pytest.warns(DelegateWarning, match=r"\[weight\] have no effect"):
        ModelParallelRunner().build_from_file(plain, context)
