"""ONNX's node cases with open dimensions: what runs with known shapes builds without them, and gives the same."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
import onnx.backend.test.case.node as node_cases

from lite_delegate import LiteDelegateError, Model, ModelType

FEW = {
    "argmax": ("argmax_default_axis_example_select_last_index",),
    "argmin": ("argmin_no_keepdims_random_select_last_index",),
    "causal_conv_with_state": ("causal_conv_with_state_short_input_no_past_state",),
    "depthtospace": ("depthtospace_example",),
    "pad": ("edge_pad", "reflect_pad", "wrap_pad"),
    "resize": ("resize_downsample_sizes_cubic", "resize_upsample_scales_linear_align_corners"),
    "spacetodepth": ("spacetodepth_example",),
    "split": ("split_variable_parts_2d_opset13",),
}
"""By the module that has them, cases of operators whose import looks at the shapes of their operands."""
Opened = Sequence[tuple[int, int]]
"""Positions of inputs and their dimensions."""


def opened(inputs: Sequence[Any]) -> Iterator[Opened]:
    """Each dimension of each input, the first ones of all inputs, and all of them."""
    each = [(i, axis) for i, x in enumerate(inputs) for axis in range(np.ndim(x))]
    return chain([[one] for one in each], [[(i, 0) for i, x in enumerate(inputs) if np.ndim(x)], each])


def with_open(model: onnx.ModelProto, dims: Opened) -> bytes:
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for number, axis in dims:
        dim = changed.graph.input[number].type.tensor_type.shape.dim[axis]
        dim.Clear()
        dim.dim_param = f"D{number}_{axis}"
    for info in changed.graph.output:
        info.type.tensor_type.ClearField("shape")
    return bytes(changed.SerializeToString())


def predicted(data: bytes, inputs: Sequence[Any]) -> list[Any]:
    model = Model()
    model.build_from_buffer(data, ModelType.MINDIR_LITE)
    return [tensor.get_data_to_numpy() for tensor in model.predict(inputs)]


def check(case: Any) -> None:
    inputs = case.data_sets[0][0]
    for dims in opened(inputs):
        found = predicted(with_open(case.model, dims), inputs)
        for one, want in zip(found, case.data_sets[0][1], strict=True):
            np.testing.assert_allclose(one, want, rtol=max(case.rtol, 1e-5), atol=1e-5, err_msg=f"{case.name} {dims}")


@pytest.mark.parametrize("module", FEW)
def test_operators_whose_import_needs_shapes(module: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(f"{node_cases.__name__}.{module}")  # which makes its cases
    known = {case.name.removeprefix("test_"): case for case in node_cases._NodeTestCases}
    for name in FEW[module]:
        check(known[name])


@pytest.mark.nightly
def test_all_that_run_with_known_shapes() -> None:
    checked = 0
    with contextlib.redirect_stdout(io.StringIO()):
        cases = node_cases.collect_testcases(None)
    for case in cases:
        if case.model is None or not case.data_sets:
            continue
        infos = (*case.model.graph.input, *case.model.graph.output)
        if not all(info.type.HasField("tensor_type") for info in infos):
            continue
        try:
            predicted(case.model.SerializeToString(), case.data_sets[0][0])
        except LiteDelegateError:
            continue
        check(case)
        checked += 1
    assert checked > 1000
