"""The code of the pages on real runtimes and on placement runs as it stands, and gives what the runtimes give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from tests.backends.onnxruntime.test_delegate import small_model

DOCS = Path(__file__).parent.parent / "docs"
X = np.random.default_rng(0).standard_normal((1, 3, 12, 10)).astype(np.float32)


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """What ONNX Runtime gives for the file that the pages read."""
    onnx.save(small_model(outputs=("y",)), tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    (y,) = ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": X})
    return np.asarray(y)


def run_page(page: str, **given: object) -> list[dict[str, Any]]:
    """The names that each piece of a page's code leaves behind, one piece after the other in one namespace."""
    names: dict[str, Any] = dict(given)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    left = []
    for block in blocks:
        exec(compile(block, page, "exec"), names)
        left.append(dict(names))
    return left


def predicted(model: Model) -> np.ndarray:
    (y,) = model.predict([X])
    return y.get_data_to_numpy()


def built(context: Context) -> Model:
    model = Model()
    model.build_from_file("model.onnx", context=context)
    return model


def test_the_code_of_the_page_on_real_runtimes(expected: np.ndarray) -> None:
    one, device, rest, fastest = run_page("backends.md", delegate=OpenVINODelegate(threads=2))
    np.testing.assert_allclose(predicted(one["model"]), expected, rtol=1e-5, atol=1e-6)
    (y,) = device["compiled"](X)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    (delegate,) = device["compiled"].delegates.values()
    assert isinstance(delegate, OpenVINODelegate)
    assert delegate.get_property("INFERENCE_NUM_THREADS") == 2
    assert [each.delegate for each in built(rest["context"]).get_partition().subgraphs] == ["openvino"]
    names = {each.plan for each in built(fastest["context"]).get_partition().alternatives}
    assert {"openvino", "onnxruntime"} <= names


def test_the_code_of_the_page_on_placement(expected: np.ndarray) -> None:
    by_gain, fastest = run_page("placement.md", delegate=OpenVINODelegate(threads=2))
    host_us = by_gain["times"].host_us
    assert len(host_us) >= 3
    assert min(host_us.values()) > 0
    np.testing.assert_allclose(predicted(by_gain["placed"]), expected, rtol=1e-5, atol=1e-6)
    first, second = fastest["context"].delegates
    assert isinstance(first, OnnxRuntimeDelegate)
    assert isinstance(second, OpenVINODelegate)
    assert any(each.chosen for each in built(fastest["context"]).get_partition().alternatives)
