"""Arithmetic, activation, normalization, reduction and Cast against ONNX Runtime on models of one node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

OPSET = 20
INF, NAN = float("inf"), float("nan")


def _onnx(op_type: str, inputs: list[Array], outputs: int = 1, **attributes: Any) -> list[Array]:
    """What ONNX Runtime gives for one node."""
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(outputs)]
    infos = [
        onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), list(x.shape))
        for n, x in zip(names, inputs, strict=True)
    ]
    node = onnx.helper.make_node(op_type, names, results, **attributes)
    untyped = [onnx.helper.make_empty_tensor_value_info(r) for r in results]
    graph = onnx.helper.make_graph([node], "one_node", infos, untyped)
    opset = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(zip(names, inputs, strict=True))))


def _ours(op_type: str, *inputs: Array | None, **attributes: Any) -> Any:
    kernel = KernelRegistry(ALL_KERNELS).find(op_type)
    assert kernel is not None
    return kernel.run(*inputs, **attributes)


def _close(got: Array, want: Array, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, strict=True)


def _normal(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    return np.asarray(np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)


ARITHMETIC = [("AddFusion", "Add"), ("SubFusion", "Sub"), ("MulFusion", "Mul"), ("DivFusion", "Div")]
PAIRS = [*ARITHMETIC, ("Maximum", "Max"), ("Minimum", "Min")]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("shapes", [((2, 3, 4), (4,)), ((3, 1), (1, 5)), ((), (2, 2)), ((2, 0, 3), (3,))])
def test_arithmetic_on_floats(ours: str, theirs: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = _normal(*shapes[0], seed=1), _normal(*shapes[1], seed=2)
    _close(_ours(ours, a, b), _onnx(theirs, [a, b])[0], rtol=0, atol=0)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_arithmetic_on_integers(ours: str, theirs: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-50, 50, size=(4, 9)).astype(dtype)
    b = rng.choice([-7, -3, -2, -1, 1, 2, 3, 7], size=9).astype(dtype)
    _close(_ours(ours, a, b), _onnx(theirs, [a, b])[0], rtol=0, atol=0)


@pytest.mark.parametrize(("ours", "theirs"), [("Maximum", "Max"), ("Minimum", "Min"), *ARITHMETIC])
def test_arithmetic_on_special_values(ours: str, theirs: str) -> None:
    special = np.array([NAN, INF, -INF, 0.0, 1.0, -2.0], dtype=np.float32)
    a, b = special.reshape(6, 1), special.reshape(1, 6)
    _close(_ours(ours, a, b), _onnx(theirs, [a, b])[0], rtol=0, atol=0)


ACTIVATIONS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("RELU", {}, "Relu", {}),
    ("SIGMOID", {}, "Sigmoid", {}),
    ("TANH", {}, "Tanh", {}),
    ("ABS", {}, "Abs", {}),
    ("SIGN", {}, "Sign", {}),
    ("SOFTPLUS", {}, "Softplus", {}),
    ("SOFTSIGN", {}, "Softsign", {}),
    ("SELU", {}, "Selu", {}),
    ("HSWISH", {}, "HardSwish", {}),
    ("HSIGMOID", {}, "HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}),
    ("ELU", {"alpha": 0.7}, "Elu", {"alpha": 0.7}),
    ("LEAKY_RELU", {"alpha": 0.2}, "LeakyRelu", {"alpha": 0.2}),
    ("THRESHOLDRELU", {"alpha": 1.2}, "ThresholdedRelu", {"alpha": 1.2}),
    ("GELU", {"approximate": True}, "Gelu", {"approximate": "tanh"}),
    ("GELU", {}, "Gelu", {"approximate": "none"}),
]


@pytest.mark.parametrize(("kind", "ours", "op_type", "theirs"), ACTIVATIONS)
def test_activations(kind: str, ours: dict[str, Any], op_type: str, theirs: dict[str, Any]) -> None:
    x = np.concatenate([_normal(500, seed=4), np.linspace(-12, 12, 500, dtype=np.float32)])
    _close(_ours("Activation", x, activation_type=kind, **ours), _onnx(op_type, [x], **theirs)[0])


@pytest.mark.parametrize(
    ("kind", "bounds"), [("RELU6", (0.0, 6.0)), ("RELU1", (-1.0, 1.0)), ("HARD_TANH", (-2.0, 3.0))]
)
def test_activations_that_clamp(kind: str, bounds: tuple[float, float]) -> None:
    x = _normal(4, 25, seed=5)
    low, high = (np.array(b, dtype=np.float32) for b in bounds)
    y = _ours("Activation", x, activation_type=kind, min_val=bounds[0], max_val=bounds[1])
    _close(y, _onnx("Clip", [x, low, high])[0], rtol=0, atol=0)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(axis: int) -> None:
    x = _normal(3, 5, 7, seed=6)
    _close(_ours("Softmax", x, axis=(axis,)), _onnx("Softmax", [x], axis=axis)[0])


@pytest.mark.parametrize("epsilon", [1e-5, 0.01])
def test_fused_batch_norm(epsilon: float) -> None:
    x, channels = _normal(2, 3, 4, 5, seed=7), [_normal(5, seed=s) for s in (8, 9, 10)]
    channels.append(np.abs(_normal(5, seed=11)) + np.float32(0.1))
    nchw = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    want = _onnx("BatchNormalization", [nchw, *channels], epsilon=epsilon)[0]
    _close(_ours("FusedBatchNorm", x, *channels, epsilon=epsilon), np.moveaxis(want, 1, -1), atol=1e-5)
    ones = [np.ones(5, dtype=np.float32), np.zeros(5, dtype=np.float32)]
    plain = _onnx("BatchNormalization", [nchw, *ones, *channels[2:]], epsilon=epsilon)[0]
    _close(_ours("BatchNorm", x, *channels[2:], epsilon=epsilon), np.moveaxis(plain, 1, -1), atol=1e-5)


@pytest.mark.parametrize("axis", [-1, 1, 2])
def test_layer_norm(axis: int) -> None:
    x = _normal(2, 3, 8, seed=12)
    gamma, beta = _normal(*x.shape[axis:], seed=13), _normal(*x.shape[axis:], seed=14)
    y, mean, variance = _ours(
        "LayerNormFusion", x, gamma, beta, begin_norm_axis=axis, begin_params_axis=axis, epsilon=1e-5, output_count=3
    )
    want, want_mean, inverse = _onnx("LayerNormalization", [x, gamma, beta], 3, axis=axis, epsilon=1e-5)
    _close(y, want, atol=1e-5)
    _close(mean, want_mean.reshape(mean.shape))
    _close(1 / np.sqrt(variance + np.float32(1e-5)), inverse.reshape(variance.shape))


REDUCTIONS = [
    ("ReduceMean", "ReduceMean"),
    ("ReduceMax", "ReduceMax"),
    ("ReduceMin", "ReduceMin"),
    ("ReduceProd", "ReduceProd"),
    ("ReduceSum", "ReduceSum"),
    ("ReduceSumSquare", "ReduceSumSquare"),
    ("ReduceASum", "ReduceL1"),
    ("ReduceL2", "ReduceL2"),
]


@pytest.mark.parametrize(("mode", "op_type"), REDUCTIONS)
@pytest.mark.parametrize("axes", [(0,), (1, 2), (-1,), ()])
@pytest.mark.parametrize("keep", [False, True])
def test_reductions(mode: str, op_type: str, axes: tuple[int, ...], keep: bool) -> None:
    x, over = _normal(2, 3, 4, seed=15), np.array(axes, dtype=np.int64)
    _close(
        _ours("ReduceFusion", x, over, mode=mode, keep_dims=keep),
        _onnx(op_type, [x, over], keepdims=int(keep))[0],
        atol=1e-5,
    )


@pytest.mark.parametrize(("mode", "op_type"), [r for r in REDUCTIONS if r[0] != "ReduceL2"])
def test_reductions_of_integers(mode: str, op_type: str) -> None:
    x, over = np.random.default_rng(16).integers(-9, 9, size=(3, 4), dtype=np.int32), np.array([1])
    _close(_ours("ReduceFusion", x, over, mode=mode), _onnx(op_type, [x, over], keepdims=0)[0], rtol=0, atol=0)


@pytest.mark.parametrize(
    ("source", "wanted", "type_id"),
    [
        ("float32", "int32", 34),
        ("float32", "float16", 42),
        ("float32", "bool", 30),
        ("float16", "float32", 43),
        ("int64", "uint8", 37),
        ("int32", "float64", 44),
        ("bool", "int8", 32),
        ("float64", "int64", 35),
    ],
)
def test_cast(source: str, wanted: str, type_id: int) -> None:
    x = _normal(5, 6, seed=17).astype(source)
    to = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(wanted))
    _close(_ours("Cast", x, np.array(type_id, dtype=np.int32)), _onnx("Cast", [x], to=to)[0], rtol=0, atol=0)
