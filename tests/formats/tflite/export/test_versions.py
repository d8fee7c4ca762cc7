"""Versions of operators: the lowest one that has the types and options."""

from __future__ import annotations

from typing import Any

import pytest

from lite_delegate.formats.tflite.export import Quantization, TfliteTensor
from lite_delegate.formats.tflite.export.versions import OperatorUse, version_of

Q, CHANNELS = Quantization((0.5,), (0,)), Quantization((0.5, 0.25), (0, 0))


def tensor(dtype: str, shape: tuple[int, ...] = (1, 2, 2, 2), quantization: Quantization | None = None) -> TfliteTensor:
    return TfliteTensor("t", dtype, shape, quantization)


def version(kind: str, *operands: TfliteTensor, y: TfliteTensor | None = None, **options: Any) -> int:
    return version_of(OperatorUse(kind, operands, (operands[0] if y is None else y,), options))


@pytest.mark.parametrize(
    ("dtype", "weight", "found"),
    [("float32", "float32", 1), ("int8", "int8", 3), ("int16", "int8", 4), ("float32", "int8", 2)],
)
def test_convolutions_by_types(dtype: str, weight: str, found: int) -> None:
    assert version("CONV_2D", tensor(dtype), tensor(weight)) == found


def test_convolutions_by_groups_channels_and_dilations() -> None:
    x = tensor("float32", (1, 2, 2, 4))
    assert version("CONV_2D", x, tensor("float32", (2, 1, 1, 2))) == 6
    assert version("CONV_2D", tensor("float32"), tensor("int8", quantization=CHANNELS)) == 5
    dilations: Any = {"dilation_h_factor": 1, "dilation_w_factor": 1}
    assert version("DEPTHWISE_CONV_2D", x, x, **dilations) == 1
    assert version("DEPTHWISE_CONV_2D", x, x, **{**dilations, "dilation_w_factor": 2}) == 2


def test_products_by_bias_and_dimensions() -> None:
    x = tensor("float32", (2, 2))
    assert version("FULLY_CONNECTED", x, x) == 6
    assert version("FULLY_CONNECTED", x, x, x) == 1
    assert version("FULLY_CONNECTED", x, x, x, keep_num_dims=True) == 5
    assert version("FULLY_CONNECTED", *[tensor("int8", (2, 2), Q)] * 3) == 4


def test_arithmetic() -> None:
    assert version("ADD", tensor("int16"), tensor("int16")) == 5
    assert version("ADD", tensor("int16", quantization=Q), tensor("int16", quantization=Q)) == 3
    assert version("MUL", tensor("int8", quantization=Q), tensor("int8", quantization=Q)) == 2
    up = tensor("int8", quantization=Quantization((0.125,), (0,)))
    assert version("MUL", tensor("int8", quantization=Q), tensor("int8", quantization=Q), y=up) == 3
    assert version("SUB", tensor("float32", (1, 1, 1, 1, 2)), tensor("float32", (2,))) == 3


@pytest.mark.parametrize(
    ("kind", "dtype", "rank", "found"),
    [
        ("TRANSPOSE", "float32", 5, 4),
        ("TRANSPOSE", "float32", 6, 6),
        ("TRANSPOSE", "bool", 3, 3),
        ("PAD", "int8", 5, 4),
        ("SLICE", "int8", 3, 2),
        ("BROADCAST_TO", "float32", 3, 2),
        ("BROADCAST_TO", "int8", 3, 3),
        ("SPACE_TO_BATCH_ND", "float32", 3, 3),
        ("RESHAPE", "int8", 3, 1),
    ],
)
def test_movement_by_type_and_rank(kind: str, dtype: str, rank: int, found: int) -> None:
    assert version(kind, tensor(dtype, (2,) * rank)) == found
