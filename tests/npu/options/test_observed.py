"""What an application sees of options: estimates, counters, numbers, threads, entries of a cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import current_thread
from typing import Any

import numpy as np
import pytest

from lite_delegate import CacheStatus
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.inference.model.compiled_model import CompiledModel
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.ir import module
from tests.passes.random_graphs import Builder

DEVICE = "NPU.4000"


def compiled(**properties: object) -> CompiledModel:
    return Core().compile_model(model_path(), DEVICE, properties)


def estimate(**properties: object) -> float:
    (subgraph,) = compiled(**properties).partition.subgraphs
    assert subgraph.estimated_us is not None
    return subgraph.estimated_us


def image(model: CompiledModel) -> np.ndarray:
    return np.random.default_rng(7).random(tuple(model.inputs[0].extents or ()), np.float32)


@pytest.mark.shows("NPU", "FREQUENCY", "NPU_TURBO")
def test_a_higher_clock_level_is_a_shorter_run_and_turbo_is_the_highest() -> None:
    levels = [estimate(FREQUENCY=level) for level in (1, 2, 3, 4)]
    assert levels == sorted(levels, reverse=True)
    assert len(set(levels)) == 4
    assert estimate(FREQUENCY=1, NPU_TURBO="YES") == levels[-1]


@pytest.mark.shows("NPU", "NPU_TILES", "NPU_MAX_TILES", "PERFORMANCE_HINT", "NPU_COMPILATION_MODE_PARAMS")
@pytest.mark.parametrize(
    ("properties", "tiles"),
    [
        ({}, 4),
        ({"NPU_TILES": 1}, 1),
        ({"NPU_TILES": 6}, 6),
        ({"NPU_MAX_TILES": 1}, 1),
        ({"PERFORMANCE_HINT": "THROUGHPUT"}, 2),
        ({"PERFORMANCE_HINT": "LATENCY", "NPU_COMPILATION_MODE_PARAMS": "performance-hint-override=latency"}, 6),
    ],
)
def test_programs_have_the_tiles_that_are_asked_for(properties: Mapping[str, object], tiles: int) -> None:
    (graph,) = compiled(**properties).graph_kernels
    assert isinstance(graph, NPUGraph)
    assert {model.target.tiles for model in graph.models} == {tiles}
    assert estimate(**properties) == estimate(NPU_TILES=tiles)


def instructions(**properties: object) -> int:
    (graph,) = compiled(PERF_COUNT="YES", **properties).graph_kernels
    assert isinstance(graph, NPUGraph)
    return len({each.instruction for each in graph.performance_counters()})


@pytest.mark.shows("NPU", "VPU_HW_STAGES_OPTIMIZATION", "NPU_COMPILATION_MODE_PARAMS")
def test_what_is_fused_makes_fewer_instructions() -> None:
    usual = instructions()
    assert usual < instructions(VPU_HW_STAGES_OPTIMIZATION="NO")
    assert usual < instructions(NPU_COMPILATION_MODE_PARAMS="optimization-level=0")


@pytest.mark.shows("NPU", "EXECUTION_MODE_HINT", "INFERENCE_PRECISION_HINT")
def test_accuracy_is_what_float32_gives_and_near_to_the_cpu() -> None:
    on_cpu = Core().compile_model(model_path(), "CPU")
    x = image(on_cpu)
    usual = compiled()([x])[0]
    accurate = compiled(EXECUTION_MODE_HINT="ACCURACY")([x])[0]
    single = compiled(INFERENCE_PRECISION_HINT="f32")([x])[0]
    np.testing.assert_array_equal(accurate, single)
    expected = on_cpu([x])[0]
    assert np.abs(accurate - expected).max() < np.abs(usual - expected).max() / 10


@pytest.mark.shows("NPU", "NPU_COMPILATION_MODE_PARAMS")
def test_islands_keep_the_digits_of_a_variance() -> None:
    b = Builder()
    x = b.input("x", (2, 64))
    mean, squares = (b.node("ReduceFusion", v, b.const([1], np.int32), shapes=(2, 1), mode="ReduceMean", keep_dims=True)
                     for v in (x, b.node("MulFusion", x, x)))  # fmt: skip
    graph = b.graph(b.node("SubFusion", squares, b.node("MulFusion", mean, mean)))
    fed = (30.0 + np.random.default_rng(0).normal(size=(2, 64))).astype(np.float16).astype(np.float32)
    expected = fed.astype(np.float64).var(axis=1, keepdims=True)
    usual, without = (
        Core().compile_model(graph, DEVICE, {"NPU_COMPILATION_MODE_PARAMS": params})([fed])[0]
        for params in ("", "precision-islands=no")
    )
    np.testing.assert_allclose(usual, expected, rtol=2e-3)
    assert np.abs(without / expected - 1).max() > 0.1


@pytest.mark.shows("NPU", "COMPILATION_NUM_THREADS")
@pytest.mark.parametrize("threads", [1, 2])
def test_no_more_threads_than_asked_for_pack_weights(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    packed, names = module.packed, set()

    def noted(*args: Any) -> Any:
        names.add(current_thread().name)
        return packed(*args)

    monkeypatch.setattr(module, "packed", noted)
    compiled(COMPILATION_NUM_THREADS=threads)
    assert (names == {current_thread().name}) is (threads == 1)
    assert 1 <= len(names) <= threads


@pytest.mark.shows("NPU", "CACHING_PROPERTIES")
def test_what_is_added_to_the_caching_properties_tells_entries_apart(tmp_path: Path) -> None:
    core = Core()
    core.set_property({"CACHE_DIR": tmp_path})
    usual = core.get_property(DEVICE, "CACHING_PROPERTIES")
    assert isinstance(usual, tuple)

    def status(**properties: object) -> CacheStatus:
        return core.compile_model(model_path(), DEVICE, properties).cache_outcome.status

    found = [status(), status(PERF_COUNT="YES")]
    core.set_property(DEVICE, {"CACHING_PROPERTIES": (*usual, "PERF_COUNT")})
    found += [status(), status(PERF_COUNT="YES"), status(PERF_COUNT="YES")]
    assert [each.value for each in found] == ["miss", "hit", "miss", "miss", "hit"]
