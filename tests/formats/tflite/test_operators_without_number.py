"""Operators of TensorFlow Lite that the ``.ms`` format has no number for, run as Custom nodes, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .models import T, check, const, floats

SHIFTS = np.array([[0, 1, 5], [31, 2, 3]], np.int32)
NUMBERS = np.array([[-9, 1 << 30, 77], [-1, -(1 << 31), 12]], np.int32)


def test_angles_of_points() -> None:
    check("ATAN2", [floats(1, 2, 3), floats(2, 2, 3)])


def test_bits() -> None:
    check("RIGHT_SHIFT", [T(NUMBERS), T(SHIFTS)], "int32")
    check("BITWISE_XOR", [T(NUMBERS), T(SHIFTS)], "int32")
    check("BITWISE_XOR", [T(NUMBERS), T(np.array([7], np.int32))], "int32")


@pytest.mark.parametrize("kind", ["MAX", "MIN", "PROD"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_segments(kind: str, dtype: Any) -> None:
    rows = T((np.random.default_rng(4).normal(size=(5, 3)) * 9).astype(dtype))
    segments, count = T(np.array([2, 0, -1, 2, 0], np.int32)), const(np.array(4, np.int32))
    check(f"UNSORTED_SEGMENT_{kind}", [rows, segments, count], np.dtype(dtype).name)


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 3)])
@pytest.mark.parametrize("activation", [0, 1, 3])
def test_convolution_over_volumes(padding: int, strides: tuple[int, int, int], activation: int) -> None:
    options: dict[str, Any] = dict(zip(("strideD", "strideH", "strideW"), strides, strict=True))
    check(
        "CONV_3D",
        [floats(1, 1, 4, 5, 6, 2), const(floats(2, 2, 3, 2, 2, 4).data), const(floats(3, 4).data)],
        table="Conv3DOptions",
        padding=padding,
        fusedActivationFunction=activation,
        dilationDFactor=1,
        dilationHFactor=1,
        dilationWFactor=1,
        **options,
    )
