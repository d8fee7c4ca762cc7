"""ONNX's node tests through the importer and the runtime."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
suite = importlib.import_module("tests.formats.onnx.node_suite")
table = importlib.import_module("tests.formats.onnx.node_table")
comparing = importlib.import_module("tests.formats.onnx.comparing")
elementwise = importlib.import_module("lite_delegate.formats.onnx.converters.elementwise")

SAME_VERSION = pytest.mark.skipif(
    onnx.__version__ != suite.ONNX_VERSION,
    reason=f"the counts are those of onnx {suite.ONNX_VERSION}, this is {onnx.__version__}",
)
CASES = {case.name: case for case in suite.cases()}
MORE_THAN = 1371
"""Passed by the best of the peers on the same cases."""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("name", list(CASES))
def test_case(name: str, found: dict[str, Any]) -> None:
    outcome = found[name] = suite.run_case(CASES[name])
    if outcome.stage != "passed":
        assert outcome.reason
        pytest.skip(f"{outcome.stage}: {outcome.reason}")


@SAME_VERSION
def test_document_says_what_is_true(found: dict[str, Any]) -> None:
    outcomes = [found[name] if name in found else suite.run_case(case) for name, case in CASES.items()]
    text = table.DOCUMENT.read_text(encoding="utf-8")
    assert text == table.document(outcomes), "run: python -m tests.formats.onnx.node_table"
    assert table.counts(outcomes)["passed"] > MORE_THAN


@SAME_VERSION
@pytest.mark.parametrize("name", sorted(suite.NEARER))
def test_nearer_the_exact_values(name: str) -> None:
    case = CASES[name]
    ((inputs, outputs),) = case.data
    given = [np.asarray(x) for x in inputs]
    names = [value.name for value in case.model.graph.input]
    (ours,) = comparing.run(comparing.imported(case.model), dict(zip(names, given, strict=True)))
    exact = _inverse_fourier(given[0]) if "dft" in name else _causal_attention(*given)
    assert _distance(ours, exact) < _distance(outputs[0], exact)


def _inverse_fourier(x: Any) -> Any:
    """The inverse transform of pairs along axis 1, by its definition."""
    count = x.shape[1]
    turns = np.exp(2j * np.pi * (np.outer(np.arange(count), np.arange(count)) % count) / count)
    spectrum = x[..., 0].astype(np.float64) + 1j * x[..., 1].astype(np.float64)
    y = np.einsum("tk,nk...->nt...", turns, spectrum) / count
    return np.stack([y.real, y.imag], axis=-1)


def _causal_attention(q: Any, k: Any, v: Any) -> Any:
    """softmax(q k^T / sqrt(d)) v in float64, where no position looks ahead."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, np.exp(scores), 0)
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _distance(found: Any, exact: Any) -> float:
    return float(np.sqrt(np.mean((found.astype(np.float64) - exact) ** 2)))


def test_a_wrong_converter_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(elementwise.CONVERTERS, "Sin", elementwise.CONVERTERS["Cos"])
    with pytest.raises(AssertionError):
        suite.run_case(CASES["test_sin"])
