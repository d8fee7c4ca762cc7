"""Convolutions, poolings and matrix products against ONNX Runtime, on random shapes and attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array
from lite_delegate_kernels.op_avg_pool_fusion import avg_pool_fusion
from lite_delegate_kernels.op_conv2d_fusion import conv2d_fusion
from lite_delegate_kernels.op_conv2d_transpose_fusion import conv2d_transpose_fusion
from lite_delegate_kernels.op_full_connection import full_connection
from lite_delegate_kernels.op_matmul_fusion import matmul_fusion
from lite_delegate_kernels.op_max_pool_fusion import max_pool_fusion

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def _onnx(op_type: str, arrays: dict[str, Array], **attributes: Any) -> Array:
    """The one output of a model of one node."""
    node = onnx.helper.make_node(op_type, list(arrays), ["y"], **attributes)
    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in arrays.items()
    ]
    output = onnx.helper.make_tensor_value_info("y", inputs[0].type.tensor_type.elem_type, None)
    graph = onnx.helper.make_graph([node], "one_node", inputs, [output])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    result: Array = session.run(None, arrays)[0]
    return result


def _nhwc_call(
    op_type: str, x: Array, *rest: Array, weight_axes: tuple[int, ...] = TO_NCHW, **attributes: Any
) -> Array:
    weight = {"w": np.ascontiguousarray(rest[0].transpose(weight_axes))} if rest else {}
    bias = {"b": rest[1]} if len(rest) > 1 else {}
    arrays = {"x": np.ascontiguousarray(x.transpose(TO_NCHW)), **weight, **bias}
    return _onnx(op_type, arrays, **attributes).transpose(TO_NHWC)


def _onnx_pads(pads: tuple[int, ...]) -> list[int]:
    up, down, left, right = pads
    return [up, left, down, right]


def _pick(rng: np.random.Generator, low: int, high: int, count: int = 2) -> tuple[int, ...]:
    return tuple(int(v) for v in rng.integers(low, high + 1, size=count))


def _normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.normal(size=shape).astype(np.float32)


def _same_attribute(pad_mode: str, pads: tuple[int, ...]) -> dict[str, Any]:
    """SAME is ONNX's SAME_UPPER: the odd element of padding comes after the input."""
    return {"auto_pad": "SAME_UPPER"} if pad_mode == "SAME" else {"pads": _onnx_pads(pads)}


@pytest.mark.parametrize("seed", range(60))
def test_conv2d(seed: int) -> None:
    rng = np.random.default_rng([35, seed])
    group = int(rng.choice([1, 1, 2, 3, 4]))
    per_group = int(rng.choice([1, 1, 2, 3]))
    kernel, stride, dilation, pads = _pick(rng, 1, 4), _pick(rng, 1, 4), _pick(rng, 1, 3), _pick(rng, 0, 3, 4)
    pad_mode = ("PAD", "SAME", "VALID")[seed % 3]
    if pad_mode == "SAME":
        dilation = (1, 1)  # ONNX Runtime rejects dilations with auto_pad.
    x = _normal(rng, *_pick(rng, 1, 2, 1), *_pick(rng, 10, 14), group * per_group)
    weight, bias = _normal(rng, group * int(rng.integers(1, 4)), *kernel, per_group), _normal(rng, 1)
    bias = np.repeat(bias, weight.shape[0])
    got = conv2d_fusion(
        x, weight, bias, group=group, stride=stride, dilation=dilation, pad_mode=pad_mode, pad_list=pads
    )
    named = {"group": group, "strides": stride, "dilations": dilation, **_same_attribute(pad_mode, pads)}
    np.testing.assert_allclose(got, _nhwc_call("Conv", x, weight, bias, **named), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "outputs", "kernel", "group"),
    [
        ((1, 56, 56, 64), 64, 3, 1),
        ((9, 28, 28, 16), 8, 3, 1),
        ((1, 40, 64, 32), 32, 5, 4),
        ((3, 60, 60, 24), 24, 5, 24),
    ],
)
def test_conv2d_whose_columns_are_laid_out_in_parts(
    shape: tuple[int, int, int, int], outputs: int, kernel: int, group: int
) -> None:
    rng = np.random.default_rng(35)
    x, weight = _normal(rng, *shape), _normal(rng, outputs, kernel, kernel, shape[3] // group)
    got = conv2d_fusion(x, weight, group=group, pad_list=(1, 1, 1, 1))
    want = _nhwc_call("Conv", x, weight, group=group, pads=[1, 1, 1, 1])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("seed", range(40))
def test_conv2d_transpose(seed: int) -> None:
    rng = np.random.default_rng([36, seed])
    group, per_group, outputs = (int(v) for v in rng.integers(1, 4, size=3))
    kernel, stride, dilation, pads = _pick(rng, 2, 4), _pick(rng, 1, 3), _pick(rng, 1, 2), _pick(rng, 0, 2, 4)
    extra = tuple(int(rng.integers(0, s)) for s in stride)
    x = _normal(rng, 2, *_pick(rng, 5, 7), group * per_group)
    weight, bias = _normal(rng, group * per_group, *kernel, outputs), _normal(rng, group * outputs)
    got = conv2d_transpose_fusion(
        x, weight, bias, group=group, stride=stride, dilation=dilation, pad_list=pads, output_paddings=extra
    )
    named: dict[str, Any] = {"group": group, "strides": stride, "dilations": dilation, "output_padding": extra}
    want = _nhwc_call("ConvTranspose", x, weight, bias, pads=_onnx_pads(pads), **named)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("op_type", ["AveragePool", "MaxPool"])
def test_pools(seed: int, op_type: str) -> None:
    rng = np.random.default_rng([17, seed])
    kernel, strides = _pick(rng, 1, 4), _pick(rng, 1, 3)
    pad_mode, ceil = ("PAD", "SAME", "VALID")[seed % 3], bool(seed % 2)
    # ONNX leaves a last window out that holds only padding; here it counts, so no pads below and right with CEIL.
    up, left = (int(rng.integers(0, k)) for k in kernel)
    pads = (up, 0 if ceil else kernel[0] - 1, left, 0 if ceil else kernel[1] - 1)
    x = _normal(rng, 2, *_pick(rng, 6, 11), 5)
    if ceil and pad_mode != "SAME" and not _last_windows_hold_input(x.shape, kernel, strides, pads):
        strides = (1, 1)
    if pad_mode == "SAME":
        strides = tuple(min(s, k) for s, k in zip(strides, kernel, strict=True))  # ONNX Runtime rejects longer ones.
    round_mode = "CEIL" if ceil else "FLOOR"
    named: dict[str, Any] = {
        "kernel_size": kernel,
        "strides": strides,
        "pad_mode": pad_mode,
        "pad": pads,
        "round_mode": round_mode,
    }
    kernel_function = avg_pool_fusion if op_type == "AveragePool" else max_pool_fusion
    auto = _same_attribute(pad_mode, pads)
    want = _nhwc_call(op_type, x, kernel_shape=kernel, strides=strides, ceil_mode=int(ceil and "pads" in auto), **auto)
    np.testing.assert_allclose(kernel_function(x, **named), want, rtol=1e-5, atol=1e-5)


def _last_windows_hold_input(
    shape: tuple[int, ...], kernel: tuple[int, ...], strides: tuple[int, ...], pads: tuple[int, ...]
) -> bool:
    return all(
        -(-(shape[1 + i] + pads[2 * i] - kernel[i]) // strides[i]) * strides[i] < shape[1 + i] + pads[2 * i]
        for i in (0, 1)
    )


@pytest.mark.parametrize("op_type", ["GlobalAveragePool", "GlobalMaxPool"])
def test_global_pools(op_type: str) -> None:
    x = _normal(np.random.default_rng(17), 2, 13, 9, 6)
    kernel_function = avg_pool_fusion if op_type == "GlobalAveragePool" else max_pool_fusion
    np.testing.assert_allclose(kernel_function(x, global_=True), _nhwc_call(op_type, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((5, 7), (7, 3)), ((4, 5, 7), (7, 3)), ((5, 7), (4, 7, 3)), ((2, 1, 5, 7), (3, 7, 4)), ((40, 3, 64), (1, 64, 9))],
)
def test_matmul(a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(89)
    a, b = _normal(rng, *a_shape), _normal(rng, *b_shape)
    want = _onnx("MatMul", {"a": a, "b": b})
    np.testing.assert_allclose(matmul_fusion(a, b), want, rtol=1e-4, atol=1e-4)
    flipped_a, flipped_b = np.ascontiguousarray(a.swapaxes(-1, -2)), np.ascontiguousarray(b.swapaxes(-1, -2))
    np.testing.assert_allclose(matmul_fusion(flipped_a, b, transpose_a=True), want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(matmul_fusion(a, flipped_b, transpose_b=True), want, rtol=1e-4, atol=1e-4)


def test_int32_matmul() -> None:
    rng = np.random.default_rng(89)
    a, b = (rng.integers(-(2**31), 2**31, size=s, dtype=np.int32) for s in ((2, 4, 6), (6, 3)))
    np.testing.assert_array_equal(matmul_fusion(a, b), _onnx("MatMul", {"a": a, "b": b}))


@pytest.mark.parametrize("shape", [(6, 20), (6, 4, 5), (6, 2, 2, 5)])
def test_full_connection_is_a_transposed_gemm(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(67)
    x, weight, bias = _normal(rng, *shape), _normal(rng, 9, 20), _normal(rng, 9)
    want = _onnx("Gemm", {"a": x.reshape(6, 20), "b": weight, "c": bias}, transB=1)
    got = full_connection(x, weight, bias, has_bias=True, use_axis=True, axis=1)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
