"""Operators of ONNX that become others, through each delegate: what ONNX Runtime alone gives for one node."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper

from lite_delegate.conformance.judging.case import Array, ConformanceCase
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from tests.backends.named import delegate_of

NAMES = ["onnxruntime", "openvino"]
RELEASE = 22


def by_itself(op: str, inputs: Sequence[Array | None], attributes: dict[str, Any], results: int = 1) -> list[Array]:
    """What ONNX Runtime gives for a node; operands that are None are left out."""
    names = ["" if x is None else f"x{place}" for place, x in enumerate(inputs)]
    outputs = [f"y{place}" for place in range(results)]
    feeds = {name: x for name, x in zip(names, inputs, strict=True) if x is not None}
    described = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in feeds.items()
    ]
    given = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph([helper.make_node(op, names, outputs, **attributes)], "g", described, given)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", RELEASE)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [np.asarray(y) for y in session.run(None, feeds)]


def check(
    name: str,
    op: str,
    inputs: Sequence[Array | None],
    expected: Sequence[Array],
    attributes: dict[str, Any],
    constants: Collection[int] = (),
) -> None:
    """A delegate takes the operator, and gives what is expected."""
    case = ConformanceCase(
        op, f"ai.onnx.{op}", tuple(inputs), tuple(expected), attributes, frozenset(constants), rtol=1e-4, atol=1e-5
    )
    result = run_case(case, delegate_of(name), force=False, closely=False)
    assert (result.outcome, result.detail) == (CaseOutcome.PASSED, "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("size", [(3, 2, 7, 5), (2, 1, 3, 4, 5)], ids=["images", "volumes"])
def test_affine_grids(name: str, align: int, size: tuple[int, ...]) -> None:
    axes = len(size) - 2
    theta = np.random.default_rng(5).standard_normal((size[0], axes, axes + 1)).astype(np.float32)
    inputs: list[Array | None] = [theta, np.array(size, np.int64)]
    given = {"align_corners": align}
    check(name, "AffineGrid", inputs, by_itself("AffineGrid", inputs, given), given, {1})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("output_shape", [None, (2, 3, 9, 12)], ids=["as_pooled", "larger"])
def test_what_a_pool_kept_is_back_at_its_places(name: str, output_shape: tuple[int, ...] | None) -> None:
    """In the first elements along each axis: ONNX Runtime counts places through a larger result, ONNX does not."""
    x = np.random.default_rng(6).standard_normal((2, 3, 8, 10)).astype(np.float32)
    window = {"kernel_shape": [2, 2], "strides": [2, 2]}
    inputs = by_itself("MaxPool", [x], window, 2)
    (expected,) = by_itself("MaxUnpool", inputs, window)
    if output_shape is None:
        check(name, "MaxUnpool", inputs, [expected], window)
        return
    larger = np.zeros(output_shape, np.float32)
    larger[:, :, :8, :10] = expected
    check(name, "MaxUnpool", [*inputs, np.array(output_shape, np.int64)], [larger], window, {2})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "computed"])
@pytest.mark.parametrize(
    ("channels", "outs", "attributes"),
    [
        (16, 24, {"pads": [1, 1, 1, 1]}),
        (16, 8, {"offset_group": 4, "strides": [2, 1], "pads": [2, 0, 1, 3]}),
        (12, 18, {"group": 3, "offset_group": 2, "dilations": [2, 3], "pads": [2, 3, 2, 3]}),
        (8, 8, {"group": 8, "pads": [1, 1, 1, 1]}),
    ],
    ids=["plain", "groups_of_offsets", "groups_of_both", "depthwise"],
)
def test_windows_with_offsets(
    name: str, is_constant: bool, channels: int, outs: int, attributes: dict[str, Any]
) -> None:
    """Offsets up to far outside of the image, and places one before and behind it."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((2, channels, 13, 11)).astype(np.float32)
    weight = rng.standard_normal((outs, channels // attributes.get("group", 1), 3, 3)).astype(np.float32)
    taps = attributes.get("offset_group", 1) * 9
    (conv,) = by_itself("Conv", [x, weight], {key: v for key, v in attributes.items() if key != "offset_group"})
    places = conv.shape[2:]
    offsets = rng.choice([0.0, 0.5, -1.0, 3.25, -20.0], (2, 2 * taps, *places))
    offsets = (offsets + rng.normal(0, 0.4, offsets.shape) * (offsets > 0)).astype(np.float32)
    bias = rng.standard_normal(outs).astype(np.float32)
    mask = rng.uniform(size=(2, taps, *places)).astype(np.float32)
    for inputs in ([x, weight, offsets], [x, weight, offsets, bias], [x, weight, offsets, None, mask]):
        expected = by_itself("DeformConv", inputs, attributes)
        check(name, "DeformConv", inputs, expected, attributes, {1} if is_constant else ())
