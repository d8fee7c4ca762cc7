"""Attention with products of their own for query, key and value gives what a loop over heads gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.graph import OpenVINOGraph
from tests.backends.attention_files import FORMS, Form, expected, is_close, predicted, written

pytest.importorskip("openvino", reason="the package openvino is not installed")


def run(form: Form, folder: Path, *, rewrite: bool = True) -> tuple[set[str], bool]:
    """The types of nodes that OpenVINO was handed, and whether the output is right."""
    file, arrays = written(form, folder)
    model, found = predicted(folder, arrays, OpenVINODelegate(threads=1), rewrite=rewrite)
    (kernel,) = model.get_graph_kernels()
    assert isinstance(kernel, OpenVINOGraph)
    types = {node.get_type_name() for node in kernel.shared.written.model.get_ops()}
    return types, is_close(found, expected(file, arrays))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=FORMS)
def test_any_form_gives_what_the_loop_gives(form: Form, tmp_path: Path) -> None:
    _, is_right = run(form, tmp_path)
    assert is_right


@pytest.mark.parametrize("bias", ["none", "heads", "rows", "windows", "input"])
def test_query_key_and_value_are_products_of_their_own(bias: str, tmp_path: Path) -> None:
    types, is_right = run(Form(batch=2, bias=bias, scaled="both"), tmp_path)
    assert is_right
    assert not types & {"Split", "VariadicSplit", "Multiply"}


def test_the_user_may_want_operators_as_they_are(tmp_path: Path) -> None:
    types, is_right = run(Form(), tmp_path, rewrite=False)
    assert is_right
    assert types & {"Split", "VariadicSplit"}
