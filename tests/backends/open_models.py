"""Models with open dimensions, for tests of backends."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite_delegate import Context, Delegate, Model
from tests.formats.onnx.comparing import imported, parsed, peer

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(3)


def weights(*shape: int) -> Array:
    return (RNG.standard_normal(shape) / 4).astype(np.float32)


IMAGES = """g (float[N,3,8,8] x) => (float[N,5] y) {
  c = Conv <pads = [1,1,1,1]> (x, w0)
  r = Relu(c)
  p = GlobalAveragePool(r)
  f = Flatten(p)
  m = MatMul(f, w1)
  y = Softmax(m)
}"""
TEXT = """g (float[N,L,8] x) => (float[N,L,8] y, float[K,8] flat) {
  zero = Constant<value = int64[1] {0}>()
  length = Shape <start = 1, end = 2> (x)
  places = Slice(table, zero, length, zero)
  s = Add(x, places)
  q = MatMul(s, wq)
  heads = Constant<value = int64[4] {0, 0, 2, 4}>()
  h = Reshape(q, heads)
  t = Transpose <perm = [0, 2, 1, 3]> (h)
  u = Transpose <perm = [0, 2, 3, 1]> (h)
  a = MatMul(t, u)
  b = Softmax(a)
  v = MatMul(b, t)
  w = Transpose <perm = [0, 2, 1, 3]> (v)
  back = Constant<value = int64[3] {0, 0, 8}>()
  z = Reshape(w, back)
  y = Add(z, x)
  rows = Constant<value = int64[2] {-1, 8}>()
  flat = Reshape(y, rows)
}"""
CASES: dict[str, tuple[str, dict[str, Array], list[tuple[int, ...]]]] = {
    "batch": (IMAGES, {"w0": weights(6, 3, 3, 3), "w1": weights(6, 5)}, [(2, 3, 8, 8), (5, 3, 8, 8), (3, 3, 8, 8)]),
    "batch and length": (
        TEXT,
        {"table": weights(64, 8), "wq": weights(8, 8)},
        [(2, 9, 8), (2, 16, 8), (3, 16, 8), (4, 33, 8), (2, 9, 8)],
    ),
}


def random(shape: tuple[int, ...]) -> Array:
    """Numbers around 0."""
    return RNG.standard_normal(shape).astype(np.float32)


def built(text: str, constants: dict[str, Array], delegate: Delegate) -> tuple[Any, Model]:
    """The ONNX model, and ours."""
    source = parsed(text, initializers=constants)
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(imported(source), context)
    return source, model


def check(source: Any, model: Model, x: Array) -> None:
    """Compares a prediction with ONNX Runtime's for the file."""
    found = model.predict([x])
    for ours, expected in zip(found, peer(source, {"x": x}), strict=True):
        np.testing.assert_allclose(ours.data, expected, rtol=1e-5, atol=1e-5)
