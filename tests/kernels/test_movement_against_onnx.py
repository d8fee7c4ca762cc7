"""The operators that move data against ONNX Runtime, on single-node models."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry

from tests.kernels.single_node import run_onnx

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

REGISTRY = KernelRegistry(ALL_KERNELS)
_onnx = partial(run_onnx, opset=18)
RNG = np.random.default_rng(46)
X = RNG.normal(size=(2, 3, 4, 5)).astype(np.float32)


def _long(*values: int) -> Array:
    return np.array(values, dtype=np.int64)


def _ours(op: str, *inputs: Array, **attributes: Any) -> list[Array]:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    result = kernel.run(*inputs, **attributes)
    return list(result) if isinstance(result, tuple) else [result]


def _assert_equal(ours: list[Array], theirs: list[Array]) -> None:
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other, strict=True)


@pytest.mark.parametrize("perm", [(0, 3, 1, 2), (0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 3, 2)])
def test_transpose(perm: tuple[int, ...]) -> None:
    _assert_equal(_ours("Transpose", X, _long(*perm)), _onnx("Transpose", (X,), perm=list(perm)))


@pytest.mark.parametrize("shape", [(-1,), (0, -1), (2, 0, -1), (6, -1, 5), (0, 0, 0, 0), (1, 120)])
def test_reshape(shape: tuple[int, ...]) -> None:
    _assert_equal(_ours("Reshape", X, _long(*shape)), _onnx("Reshape", (X, _long(*shape))))


@pytest.mark.parametrize("axis", [-4, -1, 0, 1, 2, 3, 4])
def test_flatten(axis: int) -> None:
    _assert_equal(_ours("Flatten", X, axis=axis), _onnx("Flatten", (X,), axis=axis))


@pytest.mark.parametrize("axis", [-4, -1, 0, 2])
def test_concat_and_split(axis: int) -> None:
    parts = _onnx("Split", (X, _long(1, X.shape[axis] - 1)), 2, axis=axis)
    _assert_equal(_ours("Split", X, output_num=2, size_splits=(1, -1), axis=axis), parts)
    _assert_equal(_ours("Concat", *parts, axis=axis), _onnx("Concat", tuple(parts), axis=axis))


@pytest.mark.parametrize("axes", [(0,), (-1, 1), (3, 0), (0, 1, 2)])
def test_squeeze_and_unsqueeze(axes: tuple[int, ...]) -> None:
    wide = _onnx("Unsqueeze", (X[0, 0], _long(*axes)))
    _assert_equal(_ours("Unsqueeze", X[0, 0], axis=axes), wide)
    _assert_equal(_ours("Squeeze", wide[0], axis=axes), _onnx("Squeeze", (wide[0], _long(*axes))))
    _assert_equal(_ours("Squeeze", wide[0]), _onnx("Squeeze", (wide[0],)))


@pytest.mark.parametrize("axis", [-4, -1, 0, 1])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_gather(axis: int, shape: tuple[int, ...]) -> None:
    indices = RNG.integers(-X.shape[axis], X.shape[axis], size=shape)
    _assert_equal(_ours("Gather", X, indices, _long(axis)), _onnx("Gather", (X, indices), axis=axis))


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (7, 2, 3, 4, 5)])
def test_broadcast_to(shape: tuple[int, ...]) -> None:
    _assert_equal(_ours("BroadcastTo", X[:, :1], shape=shape), _onnx("Expand", (X[:, :1], _long(*shape))))


@pytest.mark.parametrize("multiples", [(1, 1, 1, 1), (2, 1, 3, 1), (1, 2, 0, 1)])
def test_tile(multiples: tuple[int, ...]) -> None:
    _assert_equal(_ours("TileFusion", X, _long(*multiples)), _onnx("Tile", (X, _long(*multiples))))


@pytest.mark.parametrize(("mode", "theirs"), [("CONSTANT", "constant"), ("REFLECT", "reflect")])
@pytest.mark.parametrize("seed", range(5))
def test_pad(mode: str, theirs: str, seed: int) -> None:
    pads = np.random.default_rng(seed).integers(0, 2, size=(4, 2))
    value = np.array(1.5, dtype=np.float32)
    inputs = (X, pads.T.ravel().copy()) + ((value,) if mode == "CONSTANT" else ())
    ours = _ours("PadFusion", X, pads, padding_mode=mode, constant_value=1.5)
    _assert_equal(ours, _onnx("Pad", inputs, mode=theirs))


@pytest.mark.parametrize("seed", range(5))
def test_pad_symmetric_against_numpy(seed: int) -> None:
    pads = np.random.default_rng(seed).integers(0, 3, size=(4, 2))
    _assert_equal(_ours("PadFusion", X, pads, padding_mode="SYMMETRIC"), [np.pad(X, pads, mode="symmetric")])


@pytest.mark.parametrize("seed", range(40))
def test_strided_slice_with_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axes = rng.permutation(4)[: rng.integers(1, 5)]
    begin, end = rng.integers(-8, 9, size=(2, len(axes)))
    steps = rng.choice([-3, -2, -1, 1, 2, 3], size=len(axes))
    ours = _ours("StridedSlice", X, begin, end, axes, steps)
    _assert_equal(ours, _onnx("Slice", (X, begin, end, axes, steps)))


@pytest.mark.parametrize("seed", range(40))
def test_strided_slice_in_range_against_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.choice([-2, -1, 1, 2], size=4)
    begin = [rng.integers(-d, d) for d in X.shape]
    end = [rng.integers(-d, d + 1) for d in X.shape]
    wanted = X[tuple(slice(*t) for t in zip(begin, end, steps, strict=True))]
    _assert_equal(_ours("StridedSlice", X, _long(*begin), _long(*end), _long(*steps)), [wanted])


MODES = [("ASYMMETRIC", "asymmetric"), ("ALIGN_CORNERS", "align_corners"), ("HALF_PIXEL", "half_pixel")]
SIZES = [(6, 8), (7, 5), (2, 3), (3, 1), (1, 9)]


def _resize_onnx(image: Array, size: tuple[int, int], **attributes: Any) -> Array:
    """ONNX's Resize of an (N, H, W, C) image."""
    planes = image.transpose(0, 3, 1, 2)
    sizes = _long(*planes.shape[:2], *size)
    return _onnx("Resize", (planes, None, None, sizes), **attributes)[0].transpose(0, 2, 3, 1)


@pytest.mark.parametrize(("ours", "theirs"), MODES)
@pytest.mark.parametrize("size", SIZES)
def test_resize_linear(ours: str, theirs: str, size: tuple[int, int]) -> None:
    got = _ours("Resize", X, np.array(size), method="LINEAR", coordinate_transform_mode=ours)[0]
    wanted = _resize_onnx(X, size, mode="linear", coordinate_transformation_mode=theirs)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("ours", "theirs", "rounding"),
    [("ASYMMETRIC", "asymmetric", "floor"), ("ALIGN_CORNERS", "align_corners", "round_prefer_ceil")],
)
@pytest.mark.parametrize("size", SIZES)
def test_resize_nearest(ours: str, theirs: str, rounding: str, size: tuple[int, int]) -> None:
    got = _ours("Resize", X, np.array(size), method="NEAREST", coordinate_transform_mode=ours)
    wanted = _resize_onnx(X, size, mode="nearest", coordinate_transformation_mode=theirs, nearest_mode=rounding)
    _assert_equal(got, [wanted])


@pytest.mark.parametrize(("ours", "theirs"), MODES[:2])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("a", [-0.75, -0.5])
def test_resize_cubic(ours: str, theirs: str, size: tuple[int, int], a: float) -> None:
    got = _ours("Resize", X, np.array(size), method="CUBIC", coordinate_transform_mode=ours, cubic_coeff=a)[0]
    wanted = _resize_onnx(X, size, mode="cubic", coordinate_transformation_mode=theirs, cubic_coeff_a=a)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_resize_cubic_half_pixel_differs_from_onnx_only_where_the_coordinate_is_cut_off() -> None:
    attributes = {"method": "CUBIC", "coordinate_transform_mode": "HALF_PIXEL", "cubic_coeff": -0.75}
    got = _ours("Resize", X, np.array((6, 8)), **attributes)[0]
    wanted = _resize_onnx(X, (6, 8), mode="cubic", coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75)
    np.testing.assert_allclose(got[:, 1:, 1:], wanted[:, 1:, 1:], rtol=1e-5, atol=1e-5)
    assert not np.allclose(got[:, 0], wanted[:, 0], rtol=1e-3, atol=1e-3)
