"""Properties of a context: other names of what it has, and those of its delegates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import CacheOptions, CacheStatus, Context, Encryption, Model, PropertyError, make_stateful
from lite_delegate.demo import model_path
from lite_delegate.inference import StateInfo
from lite_delegate.npu import NPUDelegate
from tests.inference.state.cells import START, recurrent_cell, steps
from tests.runtime.failing import Failing, raising
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_properties_and_attributes_are_two_names_of_one_thing(tmp_path: Path) -> None:
    context = Context()
    context.set_property(
        {
            "ON_DEVICE_ERROR": "fallback",
            "inference_num_threads": "2",
            "CACHE_DIR": tmp_path / "cache",
            "CACHE_SIZE": 5,
            "DISABLE_TRANSFORMATIONS": "YES",
        }
    )
    assert (context.on_delegate_error, context.cpu.thread_num) == ("fallback", 2)
    assert (context.optimize, context.rewrite) == ("none", False)
    assert context.cache == CacheOptions(str(tmp_path / "cache"), size=5)
    context.on_delegate_error, context.cpu.thread_num = "raise", 1
    context.cache = CacheOptions(tmp_path / "other", wait_ms=9)
    context.optimize = "general"
    values = {"ON_DEVICE_ERROR": "RAISE", "INFERENCE_NUM_THREADS": 1, "DISABLE_TRANSFORMATIONS": False}
    values |= {"CACHE_DIR": str(tmp_path / "other"), "CACHE_WAIT_MS": 9}
    assert {key: context.get_property(key) for key in values} == values


def test_a_cache_that_was_given_as_an_object_keeps_what_is_not_set(tmp_path: Path) -> None:
    context, secret = Context(), Encryption(bytes, bytes)
    context.cache = CacheOptions(str(tmp_path), wait_ms=9, encryption=secret)
    context.set_property({"CACHE_SIZE": 3})
    assert context.cache == CacheOptions(str(tmp_path), size=3, wait_ms=9, encryption=secret)
    with pytest.raises(PropertyError, match="can only be set"):
        context.get_property("CACHE_ENCRYPTION_CALLBACKS")
    context.set_property({"CACHE_DIR": ""})
    assert context.cache is None


def test_defaults_are_those_of_a_new_context() -> None:
    context = Context()
    assert [context.get_property(key) for key in ("CACHE_DIR", "ON_DEVICE_ERROR", "STATE_BUFFERS")] == [
        "",
        "RAISE",
        "SEPARATE",
    ]


def test_models_are_built_with_them(tmp_path: Path) -> None:
    context = Context()
    context.set_property({"CACHE_DIR": tmp_path})
    outcomes = []
    for _ in range(2):
        model = Model()
        model.build_from_file(model_path(), context=context)
        outcomes.append(model.cache_outcome.status)
    assert outcomes == [CacheStatus.MISS, CacheStatus.HIT]
    assert model.compiled.get_property("LOADED_FROM_CACHE") is True


@pytest.mark.parametrize(("value", "copies"), [("SEPARATE", 2), ("SHARED", 0)])
def test_buffers_of_states(value: str, copies: int) -> None:
    context, model = Context(), Model()
    context.set_property({"STATE_BUFFERS": value})
    model.build_from_graph(make_stateful(recurrent_cell(), {"before": "after"}, {"before": START}), context)
    assert model.compiled.get_property("STATE_BUFFERS") == value
    request = model.compiled.create_infer_request()
    request.infer([steps(1)[0]])
    assert len([each for each in request.copies if isinstance(each.port, StateInfo)]) == copies


def test_what_delegates_have_is_set_on_each_that_has_it() -> None:
    context, delegate = Context(), NPUDelegate()
    context.set_delegates([Failing(raising(ValueError())), delegate])
    context.set_property({"NPU_TURBO": "YES", "ON_DEVICE_ERROR": "FALLBACK"})
    assert delegate.get_property("NPU_TURBO") is context.get_property("NPU_TURBO") is True


def test_the_npu_that_is_a_target_has_its_properties_too() -> None:
    context, model = Context(), Model()
    context.target = ["npu", "cpu"]
    context.set_property({"NPU_TILES": 1})
    assert context.get_property("NPU_TILES") == 1
    model.build_from_file(model_path(), context=context)
    assert model.compiled.get_property("NPU_TILES") == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"NPU_TILS": 1}, "has no property 'NPU_TILS'. Did you mean 'NPU_TILES'"),
        ({"NPU_TILES": 99}, "NPU_TILES must be an integer"),
        ({"CACHE_MODE": "FAST"}, "OPTIMIZE_SPEED or OPTIMIZE_SIZE"),
        ({"REQUIRE_CACHED": "YES"}, "set CACHE_DIR"),
        ({"THREADS_PER_STREAM": 3, "INFERENCE_NUM_THREADS": 2}, "lower the one"),
        ({3: 1}, "has no property 3"),
    ],
)
def test_mistakes_are_named_and_set_nothing(wrong: dict[str, object], message: str) -> None:
    context, delegate = Context(), NPUDelegate()
    context.set_delegate(delegate)
    with pytest.raises(PropertyError, match=message):
        context.set_property({"NPU_TURBO": "YES", "ON_DEVICE_ERROR": "FALLBACK", **wrong})
    assert (delegate.get_property("NPU_TURBO"), context.on_delegate_error) == (False, "raise")


def test_what_is_no_mapping_and_what_nobody_has() -> None:
    with pytest.raises(PropertyError, match="Properties must be a mapping"):
        Context().set_property("NPU_TURBO")  # type: ignore[arg-type]
    with pytest.raises(PropertyError, match="has no property 'NPU_TURBO'"):
        Context().get_property("NPU_TURBO")


@pytest.mark.filterwarnings("ignore:Delegate .* does not claim")
def test_a_model_runs_as_before_with_properties_set() -> None:
    context, model = Context(), Model()
    context.set_delegate(Failing(raising(RuntimeError("x")), ["none"]))
    context.set_property({"THREADS_PER_STREAM": 1})
    model.build_from_graph(chain(1), context)
    np.testing.assert_array_equal(model.predict([X])[0].data, X + 1)


def test_an_attribute_that_is_a_property_has_one_value_under_both_names() -> None:
    context = Context()
    given = {"ON_DEVICE_ERROR": "FALLBACK", "ENABLE_MMAP": False, "INFERENCE_NUM_THREADS": 3, "CPU_BACKENDS": "AUTO"}
    for name, value in given.items():
        context.set_property({name: value})
        assert context.get_property(name) == value
    assert (context.on_delegate_error, context.copy_weights) == ("fallback", True)
    assert (context.cpu.thread_num, context.cpu.backends) == (3, "auto")


def test_a_model_tells_who_set_what_of_its_context() -> None:
    context, model = Context(), Model()
    context.on_delegate_error = "fallback"
    context.optimize, context.rewrite = "none", False
    context.set_property({"INFERENCE_NUM_THREADS": 3})
    model.build_from_graph(chain(1), context)
    explained = {
        name: str(model.compiled.explain_property(name))
        for name in ("ON_DEVICE_ERROR", "DISABLE_TRANSFORMATIONS", "INFERENCE_NUM_THREADS", "STATE_BUFFERS")
    }
    assert explained == {
        "ON_DEVICE_ERROR": "ON_DEVICE_ERROR = FALLBACK (compile call) over RAISE (default)",
        "DISABLE_TRANSFORMATIONS": "DISABLE_TRANSFORMATIONS = YES (implied by other properties: OPTIMIZE NONE and "
        "REWRITE NO) over NO (default)",
        "INFERENCE_NUM_THREADS": "INFERENCE_NUM_THREADS = 3 (compile call) over 0 (default)",
        "STATE_BUFFERS": "STATE_BUFFERS = SEPARATE (default)",
    }
