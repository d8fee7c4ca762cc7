"""LSTM and GRU against ONNX Runtime, on single-node models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

REGISTRY = KernelRegistry(ALL_KERNELS)
STEPS, BATCH, FEATURES, HIDDEN = 6, 3, 5, 4


def _onnx(op: str, inputs: tuple[Array | None, ...], outputs: int, **attributes: Any) -> list[Array]:
    given = {f"in{i}": x for i, x in enumerate(inputs) if x is not None}
    names = ["" if x is None else f"in{i}" for i, x in enumerate(inputs)]
    node = onnx.helper.make_node(op, names, [f"out{i}" for i in range(outputs)], hidden_size=HIDDEN, **attributes)
    values = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in given.items()
    ]
    results = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = onnx.helper.make_graph([node], "one", values, results)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found: list[Array] = session.run(None, given)
    return found


def _weights(rng: np.random.Generator, directions: int, gates: int) -> list[Array]:
    shapes = [
        (directions, gates * HIDDEN, FEATURES),
        (directions, gates * HIDDEN, HIDDEN),
        (directions, 2 * gates * HIDDEN),
    ]
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _assert_close(ours: Any, theirs: list[Array]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5, strict=True)


@pytest.mark.parametrize("directions", [1, 2])
def test_lstm(directions: int) -> None:
    rng = np.random.default_rng(directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 4)
    h0, c0 = rng.normal(size=(2, directions, BATCH, HIDDEN)).astype(np.float32)
    kernel = REGISTRY.find("LSTM")
    assert kernel is not None
    ours = kernel.run(x, w, r, b, h0, c0, bidirectional=directions == 2, output_count=3)
    direction = "bidirectional" if directions == 2 else "forward"
    _assert_close(ours, _onnx("LSTM", (x, w, r, b, None, h0, c0), 3, direction=direction))


@pytest.mark.parametrize("directions", [1, 2])
def test_lstm_packed_for_a_cpu_is_the_same_operator(directions: int) -> None:
    rng = np.random.default_rng(10 + directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 4)
    h0, c0 = rng.normal(size=(2, directions, BATCH, HIDDEN)).astype(np.float32)

    def ifco(gates: Array) -> Array:
        i, o, f, c = np.split(gates, 4, axis=1)
        return np.concatenate([i, f, c, o], axis=1)

    summed = b[:, : 4 * HIDDEN] + b[:, 4 * HIDDEN :]
    packed = np.concatenate([ifco(part).ravel() for part in (w, r, summed)])
    kernel = REGISTRY.find("LSTM")
    assert kernel is not None
    y, h, c = kernel.run(x, h0, c0, packed, bidirectional=directions == 2, output_count=3)
    direction = "bidirectional" if directions == 2 else "forward"
    theirs = _onnx("LSTM", (x, w, r, b, None, h0, c0), 3, direction=direction)
    theirs[0] = theirs[0].transpose(0, 2, 1, 3).reshape(STEPS, BATCH, directions * HIDDEN)
    _assert_close((y, h, c), theirs)


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("lengths", [None, (6, 6, 6), (1, 6, 3)])
def test_gru(directions: int, lengths: tuple[int, ...] | None) -> None:
    rng = np.random.default_rng(20 + directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 3)
    h0 = rng.normal(size=(directions, BATCH, HIDDEN)).astype(np.float32)
    counts = None if lengths is None else np.array(lengths, dtype=np.int32)
    kernel = REGISTRY.find("GRU")
    assert kernel is not None
    ours = kernel.run(x, w, r, b, h0, counts, bidirectional=directions == 2, output_count=2)
    direction = "bidirectional" if directions == 2 else "forward"
    _assert_close(ours, _onnx("GRU", (x, w, r, b, counts, h0), 2, direction=direction))
