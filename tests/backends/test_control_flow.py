"""If, Loop and Scan with a backend: the nodes of bodies and branches run on it, in sessions that are made once."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from tests.formats.onnx.comparing import imported, parsed, peer

Array = np.ndarray[Any, Any]
MODULES = {"onnxruntime": "graph", "openvino": "compiled"}
DELEGATES: dict[str, type[Delegate]] = {"onnxruntime": OnnxRuntimeDelegate, "openvino": OpenVINODelegate}
RNG = np.random.default_rng(5)
W = (RNG.standard_normal((8, 8)) / 3).astype(np.float32)
X = RNG.standard_normal((2, 8)).astype(np.float32)

IF = """g (bool c, float[2,8] x) => (float[2,8] y) {
  y = If (c) <
    then_branch = th () => (float[2,8] a) { p = MatMul(x, w) a = Tanh(p) },
    else_branch = el () => (float[2,8] b) { q = Sigmoid(x) b = Add(q, x) }>
}"""
LOOP = """g (int64 trips, float[2,8] x) => (float[2,8] last, float[N,2,8] all) {
  r = Relu(x)
  last, all = Loop (trips, , r) <
    body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[2,8] each) {
      again = Identity(go)
      p = MatMul(s, w)
      t = Tanh(p)
      next = Add(t, x)
      each = Sigmoid(next)
    }>
}"""
SCAN = """g (float[2,8] h, float[5,2,8] x) => (float[2,8] last, float[5,2,8] all) {
  last, all = Scan <num_scan_inputs = 1,
    body = b (float[2,8] s, float[2,8] v) => (float[2,8] next, float[2,8] each) {
      p = MatMul(s, w)
      q = Add(p, v)
      next = Tanh(q)
      each = Neg(next)
    }> (h, x)
}"""
FIVE = RNG.standard_normal((5, 2, 8)).astype(np.float32)
CASES: dict[str, tuple[str, list[dict[str, Array]], set[str]]] = {
    "If": (IF, [{"c": np.array(c), "x": X} for c in (True, False)], {"MatMul", "Tanh", "Sigmoid", "Add"}),
    "Loop": (
        LOOP,
        [{"trips": np.array(n, np.int64), "x": X} for n in (7, 1, 30)],
        {"Relu", "MatMul", "Tanh", "Add", "Sigmoid"},
    ),
    "Scan": (SCAN, [{"h": X, "x": FIVE}, {"h": -X, "x": 2 * FIVE}], {"MatMul", "Add", "Tanh", "Neg"}),
}


def built(text: str, delegate: Delegate) -> tuple[Any, Model]:
    source = parsed(text, initializers={"w": W})
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(imported(source), context)
    return source, model


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", DELEGATES)
def test_bodies_run_on_the_backend_and_give_what_the_peer_gives(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(backend)
    text, runs, delegated = CASES[name]
    source, model = built(text, DELEGATES[backend]())
    nodes = model.get_partition().nodes
    taken = {word.type for node in nodes if node.subgraph for word in node.sources}
    assert delegated <= taken
    made = _counted(backend, monkeypatch)
    for inputs in runs:
        results = model.predict(inputs)
        for found, expected in zip(results, peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)
    assert made == []


def _counted(backend: str, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Gets what is made from now on: a session of ONNX Runtime, a compiled model of OpenVINO."""
    kind = importlib.import_module(f"lite_delegate.backends.{backend}.{MODULES[backend]}").Prepared
    made: list[object] = []
    load = kind.load

    def counting(self: object) -> None:
        made.append(self)
        load(self)

    monkeypatch.setattr(kind, "load", counting)
    return made
