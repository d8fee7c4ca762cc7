"""What ONNX Runtime optimized refers to the file that it is kept in, as long as that is the file at its place."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.processor import processor
from lite_delegate.backends.onnxruntime.sessions.optimized import Optimized, session_of_optimized
from lite_delegate.backends.onnxruntime.sessions.outside import Constant, put_back, taken_apart
from lite_delegate.backends.onnxruntime.sessions.session import SessionSettings
from lite_delegate.flatbuffer.mapping import map_file
from lite_delegate.tensors.tensor import Array

RNG = np.random.default_rng(0)
X = RNG.standard_normal((1, 64)).astype(np.float32)
W, V = (RNG.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
BEFORE = 96
"""Bytes of a file before the constants."""


def model_of(nodes: list[Any], constants: dict[str, Array], more: tuple[Any, ...] = ()) -> Any:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64]) for name in "xy")
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", [x, *more], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def two_products() -> Any:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["t"]), helper.make_node("Gemm", ["t", "v", "b"], ["y"])]
    return model_of(nodes, {"w": W, "v": V, "b": np.ones(3, np.float32)[:1]})


def outside(model: Any, file: str, places: dict[str, int]) -> Any:
    """The model with these constants in a file, as the package ``onnx`` writes it."""
    for tensor in model.graph.initializer:
        if tensor.name in places:
            length = len(tensor.raw_data)
            onnx.external_data_helper.set_external_data(tensor, file, places[tensor.name], length)
            tensor.ClearField("raw_data")
    return model


def test_constants_are_taken_out_and_put_back_for_another_file() -> None:
    model = outside(two_products(), "weights.bin", {"w": 0, "v": W.nbytes})
    content, constants = taken_apart(model.SerializeToString())
    assert constants == [Constant("w", 1, (64, 64), 0, W.nbytes), Constant("v", 1, (64, 64), W.nbytes, V.nbytes)]
    without = onnx.load_from_string(content)
    assert [tensor.name for tensor in without.graph.initializer] == ["b"]
    moved = onnx.load_from_string(put_back(content, constants, "entry", 300))
    wanted = outside(two_products(), "entry", {"w": 300, "v": 300 + W.nbytes})
    by_name = {tensor.name: tensor for tensor in moved.graph.initializer}
    assert by_name == {tensor.name: tensor for tensor in wanted.graph.initializer}
    assert moved.graph.node == wanted.graph.node
    assert moved.graph.output == wanted.graph.output


@pytest.fixture
def kept(tmp_path: Path) -> Optimized:
    """A model whose constants are in a file, behind other bytes."""
    path = tmp_path / "entry"
    path.write_bytes(bytes(BEFORE) + W.tobytes() + V.tobytes())
    content, constants = taken_apart(
        outside(two_products(), "weights.bin", {"w": 0, "v": W.nbytes}).SerializeToString()
    )
    return Optimized(content, constants, map_file(path)[BEFORE:])


def result(kept: Optimized) -> Array:
    session = session_of_optimized(kept, SessionSettings(threads=1))
    return np.asarray(session.run(None, {"x": X})[0])


def close(found: Array) -> None:
    np.testing.assert_allclose(found, X.astype(np.float64) @ W @ V + 1, rtol=1e-4, atol=1e-4)


def test_the_session_reads_the_file(kept: Optimized, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Optimized, "from_memory", None)
    close(result(kept))


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(bytes(path.stat().st_size))
    os.replace(other, path)


@pytest.mark.parametrize("change", [replaced, Path.unlink])
def test_a_file_that_is_not_at_its_place_is_read_where_it_was_mapped(
    kept: Optimized, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    change(tmp_path / "entry")
    close(result(kept))


def test_a_file_that_is_replaced_while_the_session_is_made(
    kept: Optimized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ort.InferenceSession
    made: list[Any] = []

    def after_another(*given: Any, **named: Any) -> Any:
        if not made:
            replaced(tmp_path / "entry")
        made.append(real(*given, **named))
        return made[-1]

    monkeypatch.setattr(ort, "InferenceSession", after_another)
    close(result(kept))
    assert len(made) == 2
    assert not np.any(made[0].run(None, {"x": X})[0] - 1)  # the other file has zeros


def test_constants_that_are_in_no_file(kept: Optimized) -> None:
    close(result(Optimized(kept.content, kept.constants, memoryview(bytes(kept.weights)))))


def test_constants_of_a_loop_come_from_the_cache(tmp_path: Path) -> None:
    infos = {"i": (TensorProto.INT64, []), "c": (TensorProto.BOOL, []), "s": (TensorProto.FLOAT, [1, 64])}
    given = [helper.make_tensor_value_info(name, *kind) for name, kind in infos.items()]
    made = [helper.make_tensor_value_info(f"{name}2", *infos[name]) for name in "cs"]
    steps = [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("MatMul", ["s", "v"], ["s2"])]
    body = helper.make_graph(steps, "body", given, made, [numpy_helper.from_array(V / 8, "v")])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["t"]), helper.make_node("Loop", ["n", "", "t"], ["y"], body=body)]
    rounds = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    path = tmp_path / "loop.onnx"
    onnx.save(model_of(nodes, {"w": W}, (rounds,)), path)
    fed: dict[Any, Array] = {"x": X, "n": np.array(5, np.int64)}
    wanted = ort.InferenceSession(path).run(None, fed)[0]
    for _ in range(2):
        compiled = Core().compile_model(path, "HETERO:ONNXRUNTIME,CPU", {"CACHE_DIR": str(tmp_path / "cache")})
        (y,) = compiled.create_infer_request().infer(fed)
        np.testing.assert_allclose(np.asarray(y), wanted, rtol=1e-3, atol=1e-3)
    assert "hit" in compiled.cache_outcome.text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("processor\t: 0\nflags\t\t: fpu avx2 avx ht\nflags\t\t: other\n", "avx avx2"),
        ("Features\t: asimddp crc32 i8mm\n", "asimddp i8mm"),
    ],
)
def test_instructions_that_count_for_kernels(tmp_path: Path, text: str, wanted: str) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert processor(tmp_path / "cpuinfo").partition(" ")[2] == wanted


def test_a_system_without_a_list_gives_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "processor", lambda: "z80")
    assert processor(tmp_path / "absent").endswith(" z80")


def test_other_instructions_are_another_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    before = OnnxRuntimeDelegate().cache_key()
    monkeypatch.setattr("lite_delegate.backends.onnxruntime.delegate.processor", lambda: "x86_64 avx")
    assert OnnxRuntimeDelegate().cache_key() != before
    assert "processor" not in OnnxRuntimeDelegate("CUDAExecutionProvider").cache_key()
