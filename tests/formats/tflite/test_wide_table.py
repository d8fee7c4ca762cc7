"""Each builtin operator that is written for quantized int16: our kernels and LiteRT's plain ones on the full range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from lite_delegate.backends.tflite_file.scope import Purpose
from lite_delegate.backends.tflite_file.types import QUANTIZED
from lite_delegate.backends.tflite_file.writing import claim
from lite_delegate.delegate import Kernel, Rejected, Supported
from lite_delegate.ir import DataType, QuantParam, make_primitive
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.tensors.tensor import Tensor
from tests.formats.tflite.models import T, const, ints, out
from tests.formats.tflite.test_wide import both, int16, wide

SCALE = 0.0005
ELSEWHERE = frozenset(
    {
        *("ABS", "ADD", "AVERAGE_POOL_2D", "BATCH_MATMUL", "CONCATENATION", "CONV_2D"),
        *("DEPTHWISE_CONV_2D", "EXPAND_DIMS", "FULLY_CONNECTED", "GATHER", "LEAKY_RELU", "LESS"),
        *("LOGISTIC", "MAXIMUM", "MAX_POOL_2D", "MEAN", "MUL", "PAD"),
        *("QUANTIZE", "REDUCE_MAX", "REDUCE_MIN", "RELU", "RELU6", "RESHAPE"),
        *("REVERSE_V2", "SLICE", "SOFTMAX", "STRIDED_SLICE", "SUB", "SUM"),
        *("TANH", "TILE", "TRANSPOSE", "TRANSPOSE_CONV"),
    }
)
"""Operators whose tests are in ``test_wide``."""
BORDERS = const(np.array([[0, 0], [1, 2], [1, 0]], np.int32))
NONE = const(np.zeros((2, 2), np.int32))

Case = tuple[list[Any], list[T], str, dict[str, Any]]


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run")


def pair(seed: int, scale: float = SCALE) -> list[T]:
    return [int16(seed, 4000, scale=scale), int16(seed + 1, 4000, scale=scale)]


def near(seed: int) -> list[T]:
    """Numbers of which many are equal; LiteRT rounds numbers that it compares to 1/256 of the unit of real numbers."""
    return [int16(place, 4000, scale=1 / 64, low=-3, high=3) for place in (seed, seed + 1)]


def case(inputs: list[Any], outputs: int | list[T] = 1, table: str = "", **options: Any) -> Case:
    return inputs, [wide(SCALE)] * outputs if isinstance(outputs, int) else outputs, table, options


TRUTH = [out("bool")]
CASES: dict[str, Case] = {
    "BATCH_TO_SPACE_ND": case([int16(1, 4, 3, 3, 2), ints(2, 2), NONE], version=4),
    "SPACE_TO_BATCH_ND": case([int16(2, 1, 6, 6, 2), ints(2, 2), NONE], version=4),
    "BROADCAST_TO": case([int16(3, 1, 5), ints(4, 5)], 1, "BroadcastToOptions", version=3),
    "EQUAL": case(near(4), TRUTH, "EqualOptions", version=4),
    "NOT_EQUAL": case(near(4), TRUTH, "NotEqualOptions", version=2),
    "GREATER": case(pair(6, 1 / 64), TRUTH, "GreaterOptions", version=2),
    "GREATER_EQUAL": case(pair(8, 1 / 64), TRUTH, "GreaterEqualOptions", version=3),
    "LESS_EQUAL": case(pair(10, 1 / 64), TRUTH, "LessEqualOptions", version=2),
    "MINIMUM": case(pair(12), 1, "MaximumMinimumOptions", version=4),
    "MIRROR_PAD": case([int16(14, 2, 5, 4), BORDERS], 1, "MirrorPadOptions", version=3, mode=0),
    "PADV2": case(
        [int16(15, 2, 5, 4), BORDERS, const(np.array(7, np.int16), scales=[SCALE])], 1, "PadV2Options", version=4
    ),
    "GATHER_ND": case([int16(16, 3, 4), const(np.array([[2, 1], [0, 3]], np.int32))], 1, "GatherNdOptions", version=3),
    "PACK": case([int16(17, 40), int16(18, 40)], 1, "PackOptions", version=3, axis=1, valuesCount=2),
    "UNPACK": case([int16(19, 3, 2)], 2, "UnpackOptions", version=4, axis=1, num=2),
    "SPLIT": case([const(np.int32(1)), int16(20, 3, 4)], 2, "SplitOptions", version=4, numSplits=2),
    "SPLIT_V": case([int16(21, 3, 4), ints(1, 3), const(np.int32(1))], 2, "SplitVOptions", version=2, numSplits=2),
    "SQUEEZE": case([int16(22, 3, 1, 4)], 1, "SqueezeOptions", squeezeDims=[1]),
    "RESIZE_BILINEAR": case(
        [int16(24, 1, 4, 5, 2), ints(7, 9)], 1, "ResizeBilinearOptions", version=4, halfPixelCenters=True
    ),
    "RESIZE_NEAREST_NEIGHBOR": case([int16(25, 1, 4, 5, 2), ints(8, 10)], 1, "ResizeNearestNeighborOptions", version=4),
    "GELU": case([int16(26, 4000)], 1, "GeluOptions", version=2),
}
QUANTA = {"GELU": 2, "RESIZE_BILINEAR": 128}
"""The steps that results may be off, where these are not 0: LiteRT has lines of a table, and weights of 10 bits."""


def test_each_operator_has_a_test() -> None:
    taken = {kind for kind, types in QUANTIZED.items() if "int16" in types}
    assert taken == ELSEWHERE | set(CASES)


@pytest.mark.parametrize(("op", "inputs"), [("Equal", 2), ("Less", 2), ("Activation", 1)])
def test_runs_of_a_delegate_are_computed_as_they_are_defined(op: str, inputs: int) -> None:
    """What LiteRT computes coarsely stays with the host, except in files that come from there."""
    params = (QuantParam(scale=SCALE, zero_point=0, num_bits=16, inited=True),)
    xs = [Tensor.describe(f"x{place}", DataType.INT16, (4,), quant_params=params) for place in range(inputs)]
    is_truth = op != "Activation"
    y = Tensor.describe(
        "y", DataType.BOOL if is_truth else DataType.INT16, (4,), quant_params=() if is_truth else params
    )
    kernel = Plain("node", op, xs, [y], make_primitive(op, **({} if is_truth else {"activation_type": "GELU"})))
    kernel.quant_type = QuantType.QUANT_ALL
    assert isinstance(claim(kernel), Rejected)
    assert isinstance(claim(kernel, Purpose(is_tflite=True)), Supported)


@pytest.mark.parametrize("op", CASES)
def test_litert_gives_the_same(op: str) -> None:
    inputs, outputs, table, options = CASES[op]
    both(op, inputs, outputs, table, quanta=QUANTA.get(op, 0), **options)
