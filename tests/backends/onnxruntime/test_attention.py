"""Attention through ONNX Runtime's own operator gives what a loop over heads gives."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from hypothesis import HealthCheck, given, settings

from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from tests.backends.attention_files import FORMS, Form, expected, is_close, predicted, written


def check(form: Form, folder: Path, *, fused: bool, rewrite: bool = True) -> None:
    file, arrays = written(form, folder)
    model, found = predicted(folder, arrays, OnnxRuntimeDelegate(threads=1), rewrite=rewrite)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OnnxRuntimeGraph)
    operators = {node.op_type for node in onnx.load_from_string(kernel.shared.whole().content).graph.node}
    assert ("Attention" in operators, "Softmax" in operators) == (fused, not fused)
    assert is_close(found, expected(file, arrays))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=FORMS)
def test_any_form_gives_what_the_loop_gives(form: Form, tmp_path: Path) -> None:
    file, arrays = written(form, tmp_path)
    _, found = predicted(tmp_path, arrays, OnnxRuntimeDelegate(threads=1), rewrite=True)
    assert is_close(found, expected(file, arrays))


@pytest.mark.parametrize("parts", ["split", "slice", "gather", "three"])
@pytest.mark.parametrize("bias", ["none", "heads", "rows", "windows", "input"])
def test_it_is_one_operator(parts: str, bias: str, tmp_path: Path) -> None:
    check(Form(batch=2, parts=parts, bias=bias, scaled="both"), tmp_path, fused=True)


@pytest.mark.parametrize("scaled", ["query", "scores", "none"])
def test_scales_become_its_own(scaled: str, tmp_path: Path) -> None:
    check(Form(scaled=scaled, has_offsets=False), tmp_path, fused=True)


def test_scaled_values_are_none(tmp_path: Path) -> None:
    check(Form(scaled="value"), tmp_path, fused=False)


def test_a_scaled_sum_is_none(tmp_path: Path) -> None:
    check(Form(scaled="sum", bias="heads"), tmp_path, fused=False)


def test_the_user_may_want_operators_as_they_are(tmp_path: Path) -> None:
    check(Form(), tmp_path, fused=False, rewrite=False)
