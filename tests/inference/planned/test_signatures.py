"""Signatures of TensorFlow Lite files: models called by the names that the file gives; LiteRT says what comes out."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter
from lite_delegate_kernels import Array

from lite_delegate import Core, InputError, ModelClosed, Tensor, make_stateful
from lite_delegate.cache import CacheStatus
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.inference import CompiledModel
from tests.formats.tflite.models import G, Op, floats, model_bytes, out
from tests.formats.tflite.test_graphs import two_signatures

A, B = np.array([[1, -2, 3], [4, 5, -6]], np.float32), np.array([[2, 7, -1], [0, 8, 9]], np.float32)
"""Devices that compute in half precision are exact with them."""
SUM = {"left": 1, "right": 0}
"""The names of the inputs are not in the order of the graph."""


def named() -> bytes:
    """t0, t1 -> t0 - t1 and t1 - t0, under other names; a second signature gives the second output alone."""
    tensors = [floats(1, 2, 3), floats(2, 2, 3), out(shape=(2, 3)), out(shape=(2, 3))]
    ops = [Op("SUB", [0, 1], [2], "SubOptions"), Op("SUB", [1, 0], [3], "SubOptions")]
    both = ("both", 0, SUM, {"there": 2, "back": 3})
    return model_bytes([G(tensors, ops, [0, 1], [2, 3])], [both, ("one", 0, SUM, {"back": 3})])


def litert(content: bytes, key: str, **inputs: Array) -> Mapping[str, Any]:
    return dict(Interpreter(model_content=content).get_signature_runner(key)(**inputs))


def assert_equal(got: Mapping[str, Array], want: Mapping[str, Any]) -> None:
    assert set(got) == set(want)
    for name, array in want.items():
        np.testing.assert_array_equal(got[name], array)


@pytest.fixture(params=["CPU", "HETERO:NPU,CPU", "AUTO"])
def compiled(request: pytest.FixtureRequest) -> CompiledModel:
    return Core().compile_model(named(), request.param)


def test_the_names_of_the_signature_call_the_model(compiled: CompiledModel) -> None:
    assert compiled.signatures == ("both", "one")
    want = litert(named(), "both", left=B, right=A)
    for runner in (compiled.signature(), compiled.signature("both")):
        assert (runner.key, list(runner.inputs), list(runner.outputs)) == ("both", ["left", "right"], ["there", "back"])
        assert runner.inputs["left"] is compiled.input("t1")
        assert_equal(runner(left=B, right=A), want)
    assert_equal(compiled.signature("one")(left=B, right=A), litert(named(), "one", left=B, right=A))


def test_every_way_to_give_inputs_gives_the_same(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    want = litert(named(), "both", left=B, right=A)
    ports = {compiled.input("right"): A, compiled.input("left"): B}
    ways: list[Any] = [
        {"left": B, "right": A},
        {"t0": A, "left": B},
        {0: A, 1: B},
        ports,
        [A, B],
        [Tensor(A), Tensor(B)],
    ]
    found = [request.infer(way) for way in ways]
    found += [request.infer(left=B, right=A), request.infer({"left": B}, right=A), compiled(right=A, left=B)]
    request.set_tensor("left", B)
    found += [request.infer(right=A)]
    request.set_tensor("right", A)
    found += [request.infer()]
    for results in found:
        assert_equal({name: results[name] for name in want}, want)
    np.testing.assert_array_equal(request.get_tensor("back").data, want["back"])


def test_missing_and_unknown_names_are_one_error() -> None:
    compiled = Core().compile_model(named(), "CPU")
    message = (
        r"Signature 'both': missing 'right'; unknown 'lefts', 'z'; its inputs are 'left', 'right'\. Did you mean 'left'"
    )
    with pytest.raises(InputError, match=message):
        compiled.signature()(left=B, lefts=A, z=A)
    with pytest.raises(InputError, match=r"There is no input 'lef'; expected one of 't0', 't1'\. Did you mean 'left'"):
        compiled.create_infer_request().infer(lef=A, right=B)
    with pytest.raises(InputError, match="Input 1 't1': it is given twice"):
        compiled(left=A, t1=B)


def test_an_input_may_be_named_as_the_argument_is() -> None:
    tensors = [floats(1, 2, 3), floats(2, 2, 3), out(shape=(2, 3))]
    graph = G(tensors, [Op("SUB", [0, 1], [2], "SubOptions")], [0, 1], [2])
    compiled = Core().compile_model(model_bytes([graph], [("f", 0, {"inputs": 0, "mask": 1}, {"y": 2})]), "CPU")
    np.testing.assert_array_equal(compiled.create_infer_request().infer(inputs=A, mask=B)["y"], A - B)
    np.testing.assert_array_equal(compiled.signature()(inputs=A, mask=B)["y"], A - B)


def test_other_parts_of_a_file_are_compiled_when_first_asked(tmp_path: Path) -> None:
    path = tmp_path / "two.tflite"
    path.write_bytes(two_signatures())
    for model in (two_signatures(), path):
        compiled = Core().compile_model(model, "CPU")
        assert compiled.signatures == ("plus", "times")
        for key in compiled.signatures:
            assert_equal(compiled.signature(key)(a=A), litert(two_signatures(), key, a=A))
        assert compiled.for_signature("plus") is compiled.for_signature() is compiled
        times = compiled.for_signature("times")
        assert times is compiled.for_signature("times")
        request = times.create_infer_request()
        np.testing.assert_array_equal(request.infer(a=A)["b"], litert(two_signatures(), "times", a=A)["b"])
        compiled.close()
        for call in (times, compiled.signature):
            with pytest.raises(ModelClosed):
                call("times") if call is not times else times(a=A)


def test_a_signature_that_is_not_there_or_cannot_be_reached() -> None:
    compiled = Core().compile_model(two_signatures(), "CPU")
    with pytest.raises(InputError, match="The model has no signature 'minus'; it has 'plus', 'times'"):
        compiled.signature("minus")
    alone = Core().compile_model(read_tflite_buffer(two_signatures()), "CPU")
    assert_equal(alone.signature("plus")(a=A), litert(two_signatures(), "plus", a=A))
    with pytest.raises(InputError, match=r"Signature 'times' is another part .*read_model\(path, signature='times'\)"):
        alone.signature("times")
    without = Core().compile_model(
        model_bytes([G([floats(1, 2), out(shape=(2,))], [Op("ABS", [0], [1])], [0], [1])]), "CPU"
    )
    assert without.signatures == ()
    with pytest.raises(InputError, match="The model has no signature ''; it has none"):
        without.signature()


def test_signatures_are_in_exported_and_cached_models(tmp_path: Path) -> None:
    path, folder = tmp_path / "m.tflite", tmp_path / "cache"
    path.write_bytes(named())
    want = {key: litert(named(), key, left=B, right=A) for key in ("both", "one")}
    properties = {"CACHE_DIR": str(folder)}
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        compiled = Core().compile_model(path, "NPU", properties)
        for key in ("both", "one"):
            assert compiled.for_signature(key).cache_outcome.status is status
            assert_equal(compiled.signature(key)(left=B, right=A), want[key])
    imported = Core().import_model(Core().compile_model(path, "NPU").export_model(), "NPU")
    assert imported.signatures == ("both", "one")
    assert_equal(imported.signature()(left=B, right=A), want["both"])
    with pytest.raises(InputError, match="Signature 'one' is another part"):
        imported.signature("one")


def test_inputs_that_became_states_have_no_name() -> None:
    graph = make_stateful(read_tflite_buffer(named()), {"t1": "t2"})
    runner = Core().compile_model(graph, "CPU").signature()
    assert (list(runner.inputs), list(runner.outputs)) == (["right"], ["back"])
    np.testing.assert_array_equal(runner(right=A)["back"], -A)


def test_a_model_that_is_let_go_keeps_nothing_alive() -> None:
    compiled = Core().compile_model(two_signatures(), "CPU")
    kept = weakref.ref(compiled.for_signature("times"))
    del compiled
    gc.collect()
    assert kept() is None
