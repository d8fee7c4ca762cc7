"""Operators whose attributes and operands changed between versions, against ONNX Runtime or by hand."""

from __future__ import annotations

import importlib
from collections import Counter
from typing import Any

import numpy as np
import pytest

from lite_delegate.formats.onnx import read_onnx_buffer
from tests.formats.customs import assert_custom

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")

RNG = np.random.default_rng(1)
IMAGE = RNG.standard_normal((2, 4, 7, 6)).astype(np.float32)
LINE = RNG.standard_normal((2, 4, 9)).astype(np.float32)
ROWS = RNG.standard_normal((3, 4, 5)).astype(np.float32)
WEIGHT = RNG.standard_normal((6, 2, 3, 3)).astype(np.float32)
WEIGHT_1D = RNG.standard_normal((6, 2, 3)).astype(np.float32)
PER_CHANNEL = RNG.random((4,)).astype(np.float32) + 0.5


def _graph(body: str, x: Any, opset: int, **initializers: Any) -> Any:
    dims = ",".join(map(str, x.shape))
    kind = {"float32": "float", "int64": "int64", "int8": "int8", "uint8": "uint8"}[x.dtype.name]
    return comparing.parsed(f"g ({kind}[{dims}] x) => (y) {{ {body} }}", opset, initializers)


ACROSS_VERSIONS = [
    (7, "y = Clip <min = -0.5, max = 0.5> (x)", ROWS, {}),
    (11, "y = Clip (x, low)", ROWS, {"low": np.float32(0.1)}),
    (13, "y = Clip (x, , high)", ROWS, {"high": np.float32(0.1)}),
    (7, "y = Softmax (x)", ROWS, {}),
    (11, "y = Softmax <axis = 2> (x)", ROWS, {}),
    (11, "y = LogSoftmax <axis = 0> (x)", ROWS, {}),
    (13, "y = Softmax (x)", ROWS, {}),
    (11, "y = Hardmax <axis = 1> (x)", ROWS, {}),
    (7, "s = Unsqueeze <axes = [0, 4]> (x) y = Squeeze <axes = [4, 0]> (s)", ROWS, {}),
    (13, "s = Unsqueeze (x, a) y = Squeeze (s, a)", ROWS, {"a": np.array([-1, 0])}),
    (11, "y = ReduceSum <axes = [0, 2], keepdims = 0> (x)", ROWS, {}),
    (13, "y = ReduceSum <keepdims = 0> (x, a)", ROWS, {"a": np.array([1])}),
    (11, "y = ReduceMax <axes = [-1]> (x)", ROWS, {}),
    (18, "y = ReduceMax (x, a)", ROWS, {"a": np.array([-1])}),
    (7, "y = Pad <pads = [0, 1, 0, 2, 0, 0], value = 3.0> (x)", ROWS, {}),
    (10, 'y = Pad <mode = "edge", pads = [1, 0, 2, 0, 3, 0]> (x)', ROWS, {}),
    (13, "y = Pad (x, p)", ROWS, {"p": np.array([0, -1, 2, 0, 1, -2])}),
    (18, 'y = Pad <mode = "reflect"> (x, p, , a)', ROWS, {"p": np.array([1, 2]), "a": np.array([-1])}),
    (7, "y = Slice <axes = [1, 2], starts = [1, -3], ends = [9, -1]> (x)", ROWS, {}),
    (
        13,
        "y = Slice (x, s, e, a, t)",
        ROWS,
        {k: np.array(v) for k, v in {"s": [3, -1], "e": [0, -9], "a": [1, 2], "t": [-1, -2]}.items()},
    ),
    (7, "y, i = TopK <k = 2, axis = 1> (x)", ROWS, {}),
    (10, "y, i = TopK <axis = -1> (x, k)", ROWS, {"k": np.array([3])}),
    (11, "y, i = TopK <axis = -1, largest = 0> (x, k)", ROWS, {"k": np.array([3])}),
    (7, "a, b = Split <axis = 1, split = [1, 3]> (x) y = Concat <axis = 1> (b, a)", ROWS, {}),
    (13, "a, b = Split <axis = 1> (x, s) y = Concat <axis = 1> (b, a)", ROWS, {"s": np.array([3, 1])}),
    (18, "a, b = Split <axis = 2, num_outputs = 2> (x) y = Concat <axis = 2> (b, a)", ROWS, {}),
    (7, 'y = Upsample <mode = "nearest", scales = [1.0, 1.0, 2.0, 3.0]> (x)', IMAGE, {}),
    (9, 'y = Upsample <mode = "linear"> (x, s)', IMAGE, {"s": np.array([1, 1, 2, 2], np.float32)}),
    (10, 'y = Resize <mode = "nearest"> (x, s)', IMAGE, {"s": np.array([1, 1, 0.5, 2], np.float32)}),
    (13, 'y = Resize <mode = "linear"> (x, , s)', IMAGE, {"s": np.array([1, 1, 2, 2], np.float32)}),
    (13, 'y = Resize <mode = "cubic"> (x, , s)', IMAGE, {"s": np.array([1, 1, 2, 2], np.float32)}),
    (7, "y = BatchNormalization <epsilon = 0.01> (x, c, c, c, c)", IMAGE, {"c": PER_CHANNEL}),
    (15, "y = BatchNormalization (x, c, c, c, c)", LINE, {"c": PER_CHANNEL}),
    (7, "y = Dropout <ratio = 0.3> (x)", ROWS, {}),
    (
        7,
        "y = Gemm <alpha = 0.5, beta = 2.0, transB = 1> (x, w, b)",
        ROWS[0],
        {"w": ROWS[1], "b": np.array([1], np.float32)},
    ),
    (13, "y = Gemm <transA = 1> (x, w, b)", ROWS[0], {"w": ROWS[1][:, :2].copy(), "b": np.ones(2, np.float32)}),
    (12, 'y = Einsum <equation = "abc,adc->bd"> (x, x)', ROWS, {}),
]


@pytest.mark.parametrize(
    ("opset", "body", "x", "more"), ACROSS_VERSIONS, ids=[f"{o}-{b}" for o, b, *_ in ACROSS_VERSIONS]
)
def test_versions_of_an_operator(opset: int, body: str, x: Any, more: Any) -> None:
    comparing.check(_graph(body, x, opset, **more), {"x": x})


SPATIAL = [
    "y = Conv <group = 2, pads = [0, 1, 2, 1], strides = [2, 1]> (x, w)",
    "y = Conv <group = 2, dilations = [2, 1]> (x, w, b)",
    'y = Conv <group = 2, auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w)',
    'y = Conv <group = 2, auto_pad = "SAME_LOWER", strides = [2, 3]> (x, w)',
    'y = Conv <group = 2, auto_pad = "VALID"> (x, w)',
    "y = ConvTranspose <strides = [2, 3], pads = [1, 0, 0, 1], output_padding = [1, 0]> (x, t)",
    "y = ConvTranspose <strides = [2, 2], output_shape = [15, 12]> (x, t)",
    'y = ConvTranspose <strides = [2, 2], auto_pad = "SAME_UPPER"> (x, t)',
    "y = ConvTranspose <group = 2, dilations = [1, 2]> (x, t)",
    "y = MaxPool <kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 0, 1]> (x)",
    "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x)",
    "y = MaxPool <kernel_shape = [2, 2], dilations = [2, 3]> (x)",
    "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (x)",
    "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (x)",
    'y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = "SAME_LOWER"> (x)',
    "y = GlobalAveragePool (x)",
    "y = GlobalMaxPool (x)",
    "y = InstanceNormalization (x, c, c)",
    "y = LRN <size = 3, alpha = 0.5, bias = 2.0> (x)",
    'y = DepthToSpace <blocksize = 2, mode = "CRD"> (x)',
    "y = PRelu (x, s)",
]


@pytest.mark.parametrize("rank", [3, 4, 5])
@pytest.mark.parametrize("whole", [False, True])
def test_a_slope_for_each_channel_is_one_operator(rank: int, whole: bool) -> None:
    shape = (2, 4, 3, 5, 2)[:rank]
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    slopes = np.array([0.5, -0.25, 0.0, 2.0], np.float32).reshape(*([1] * whole), 4, *([1] * (rank - 2)))
    model = _graph("y = PRelu (x, s)", x, 13, s=slopes)
    graph = read_onnx_buffer(model.SerializeToString())
    assert Counter(node.op_type for node in graph.nodes) == {"PReLUFusion": 1, "Transpose": 2}
    comparing.check(model, {"x": x}, rtol=1e-6, atol=0)


def test_a_slope_for_each_place_of_another_axis_is_not() -> None:
    x = np.random.default_rng(0).standard_normal((2, 4, 4, 3)).astype(np.float32)
    model = _graph("y = PRelu (x, s)", x, 13, s=np.array([[0.5], [-0.25], [0.0], [2.0]], np.float32))
    comparing.check(model, {"x": x}, rtol=1e-6, atol=0)


@pytest.mark.parametrize("body", SPATIAL)
def test_images(body: str) -> None:
    more = {
        "w": WEIGHT,
        "b": np.arange(6, dtype=np.float32),
        "t": WEIGHT[:4],
        "c": PER_CHANNEL,
        "s": PER_CHANNEL.reshape(4, 1, 1),
    }
    used = {name: value for name, value in more.items() if f", {name}" in body}
    comparing.check(_graph(body, IMAGE, 13, **used), {"x": IMAGE}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "body",
    [
        "y = Conv <group = 2, pads = [2, 0], strides = [2]> (x, w)",
        'y = Conv <group = 2, auto_pad = "SAME_UPPER", strides = [2]> (x, w)',
        "y = ConvTranspose <strides = [3], output_padding = [1]> (x, t)",
        "y = MaxPool <kernel_shape = [3], strides = [2], pads = [1, 1]> (x)",
        "y = GlobalAveragePool (x)",
    ],
)
def test_signals(body: str) -> None:
    used = {name: v for name, v in {"w": WEIGHT_1D, "t": WEIGHT_1D[:4]}.items() if f", {name}" in body}
    comparing.check(_graph(body, LINE, 13, **used), {"x": LINE}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_smallest_of_integers_include_the_extremes(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([5, limits.min, 0, limits.max, 3], dtype)
    model = _graph("y, i = TopK <largest = 0> (x, k)", x, 13, k=np.array([5]))
    comparing.check(model, {"x": x}, [np.sort(x)])


def test_clip_with_bounds_out_of_order_gives_the_upper_one() -> None:
    model = _graph("y = Clip (x, low, high)", ROWS, 13, low=np.float32(1), high=np.float32(-1))
    comparing.check(model, {"x": ROWS}, [np.full_like(ROWS, -1)])


@pytest.mark.parametrize(("direction", "numbers"), [("LEFT", [2, 128, 0]), ("RIGHT", [0, 32, 0])])
def test_shifts_drop_what_leaves_the_type(direction: str, numbers: list[int]) -> None:
    x = np.array([1, 64, 255], np.uint8)
    model = _graph(f'y = BitShift <direction = "{direction}"> (x, n)', x, 11, n=np.array([1, 1, 8], np.uint8))
    comparing.check(model, {"x": x}, [np.array(numbers, np.uint8)])


def test_bits_of_negative_numbers() -> None:
    x, other = np.array([-128, -1, 5], np.int8), np.array([-1, 6, 3], np.int8)
    for operator, expected in (("BitwiseAnd", x & other), ("BitwiseOr", x | other), ("BitwiseXor", x ^ other)):
        comparing.check(_graph(f"y = {operator} (x, o)", x, 18, o=other), {"x": x}, [expected])


@pytest.mark.parametrize(
    ("module", "limit", "last", "body"),
    [
        ("windows.gathering", "MAX_INDICES", 100, "y = MaxPool <kernel_shape = [2, 2], dilations = [2, 1]> (x)"),
        ("converters.indexing", "MAX_PRODUCTS", 7, "y = CumProd (x, two)"),
    ],
)
def test_limits(module: str, limit: str, last: int, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``last`` is what the operator needs for this image: (7 - 2) * (6 - 1) windows of 4, or a dimension of 7."""
    opset = 26 if "CumProd" in body else 17
    model = _graph(body, IMAGE, opset, **({"two": np.int64(2)} if ", two" in body else {}))
    room = importlib.import_module(f"lite_delegate.formats.onnx.{module}")
    monkeypatch.setattr(room, limit, last)
    comparing.imported(model)
    monkeypatch.setattr(room, limit, last - 1)
    assert_custom(comparing.imported(model), str(last - 1))
