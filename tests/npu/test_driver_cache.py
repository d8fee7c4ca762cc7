"""The simulated driver's cache: what hits, what is bypassed, and how much is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import CacheOptions, Context, Model
from lite_delegate.demo import model_path
from lite_delegate.ir import Graph, constant
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device.driver_cache import DriverCache, DriverCacheCounters
from lite_delegate.npu.driver_ir import vcl
from tests.runtime.graphs import binary, unary, value

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)


def graph(weight: float = 2.0, first: str = "first") -> Graph:
    """x + weight -> ReLU."""
    x = value("x", (4, 6))
    added = binary(first, x, constant("weight", np.full((4, 6), weight, np.float32)))
    last = unary("last", added.outputs[0])
    return Graph("main", [x], [last.outputs[0]], [added, last])


def built(delegate: NPUDelegate, model: Graph, cache: CacheOptions | None = None) -> Any:
    """What a model gives that is built for a delegate."""
    context, made = Context(), Model()
    context.set_delegate(delegate)
    context.cache = cache
    made.build_from_graph(model, context)
    return made.predict([X])[0].data


def counters(delegate: NPUDelegate) -> DriverCacheCounters:
    return delegate.device.driver_cache.counters


def test_the_second_build_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    delegate = NPUDelegate()
    first = built(delegate, graph())
    np.testing.assert_allclose(first, np.maximum(X + 2, 0), rtol=1e-3)
    monkeypatch.setattr(vcl, "compile_run", None)
    np.testing.assert_array_equal(built(delegate, graph()), first)
    assert counters(delegate) == DriverCacheCounters(hits=1, misses=1)


@pytest.mark.parametrize("other", [graph(3.0), graph(first="other")], ids=["constant", "name"])
def test_another_part_is_compiled(other: Graph) -> None:
    delegate = NPUDelegate()
    built(delegate, graph())
    np.testing.assert_array_equal(built(delegate, other), built(NPUDelegate(), other))
    assert counters(delegate) == DriverCacheCounters(misses=2)


def test_other_build_arguments_are_other_programs() -> None:
    delegate = NPUDelegate()
    built(delegate, graph())
    built(delegate.configured({"INFERENCE_PRECISION_HINT": "f16", "NPU_TURBO": "YES"}), graph())
    assert counters(delegate).misses == 2


def test_a_real_model_gives_the_same_bits_again() -> None:
    delegate, found = NPUDelegate(), []
    for each in (delegate, delegate, NPUDelegate(options={"NPU_BYPASS_UMD_CACHING": "YES"})):
        context, model = Context(), Model()
        context.set_delegate(each)
        model.build_from_file(model_path(), context=context)
        shape = model.get_inputs()[0].shape
        data = np.random.default_rng(3).random(shape, dtype=np.float32)
        found.append(np.array(model.predict([data])[0].data))
    assert counters(delegate).hits == counters(delegate).misses > 0
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.shows("NPU", "NPU_BYPASS_UMD_CACHING")
def test_a_property_bypasses_it() -> None:
    delegate = NPUDelegate(options={"NPU_BYPASS_UMD_CACHING": "YES"})
    built(delegate, graph())
    built(delegate, graph())
    assert counters(delegate) == DriverCacheCounters(bypassed=2)
    assert delegate.device.driver_cache.nbytes == 0


def test_a_cache_of_compiled_models_bypasses_it(tmp_path: Path) -> None:
    delegate = NPUDelegate()
    built(delegate, graph(), CacheOptions(tmp_path))
    assert counters(delegate) == DriverCacheCounters(bypassed=1)
    built(delegate, graph())
    assert counters(delegate) == DriverCacheCounters(misses=1, bypassed=1)


def test_the_least_recently_used_goes_first() -> None:
    cache: DriverCache[str] = DriverCache(limit=10)
    cache.put("a", "a", 4)
    cache.put("b", "b", 4)
    assert cache.get("a") == "a"
    cache.put("c", "c", 4)
    assert [cache.get(key) for key in "abc"] == ["a", None, "c"]
    cache.put("d", "too large", 11)
    assert cache.get("d") is None
    assert cache.nbytes == 8
