"""ONNX's node tests on the reference kernels, by the mappings beside this file."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
suite = importlib.import_module("tests.onnx_suite.suite")
running = importlib.import_module("tests.onnx_suite.running")
unmapped = importlib.import_module("tests.onnx_suite.unmapped")
table = importlib.import_module("tests.onnx_suite.table")
node = importlib.import_module("tests.onnx_suite.node")
bodies = importlib.import_module("tests.onnx_suite.function_bodies")

SAME_VERSION = pytest.mark.skipif(
    onnx.__version__ != suite.ONNX_VERSION,
    reason=f"the counts are those of onnx {suite.ONNX_VERSION}, this is {onnx.__version__}",
)
CASES = {case.name: case for case in suite.cases()}
ARRANGING = {
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "bool_",
    "broadcast_shapes",
    "empty",
    "float32",
    "floor",
    "iinfo",
    "inf",
    "int32",
    "int64",
    "moveaxis",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
}
"""What of numpy the mappings use: constants, dtypes, moving and reshaping; ``floor`` is for the sizes of Resize."""


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.mapped])
def test_case(name: str) -> None:
    try:
        assert suite.run_case(CASES[name])
    except node.Refused as refused:
        pytest.skip(str(refused))


@SAME_VERSION
def test_document_says_what_is_true() -> None:
    assert table.DOCUMENT.read_text(encoding="utf-8") == table.document(), "run: python -m tests.onnx_suite.table"


@SAME_VERSION
def test_every_operator_is_decided_once() -> None:
    operators = {case.operator for case in CASES.values() if not case.expanded}
    decided = [*running.MAPPINGS, *bodies.BY_FUNCTION_BODY, *unmapped.UNMAPPED]
    assert len(decided) == len(set(decided))
    assert operators <= set(decided)


def test_no_family_maps_an_operator_that_another_maps() -> None:
    families = [value for name, value in vars(running).items() if name.startswith("mapping_")]
    assert sum(len(family.MAPPINGS) for family in families) == len(running.MAPPINGS)


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("mapping_*.py")), ids=lambda path: path.stem)
def test_numbers_come_from_kernels(path: Path) -> None:
    assert set(_used_of_numpy(ast.parse(path.read_text(encoding="utf-8")))) <= ARRANGING


def _used_of_numpy(tree: ast.AST) -> Iterable[str]:
    for found in ast.walk(tree):
        if isinstance(found, ast.Attribute) and isinstance(found.value, ast.Name) and found.value.id == "np":
            yield found.attr


@SAME_VERSION
@pytest.mark.parametrize("name", sorted(suite.PRECISION))
def test_refused_for_precision_is_nearer_the_exact_values(name: str) -> None:
    case = CASES[name]
    ((inputs, outputs),) = case.data
    given = {value.name: x for value, x in zip(case.model.graph.input, inputs, strict=True)}
    exact = _causal_attention(*(np.asarray(x, np.float64) for x in inputs))
    (ours,) = running.run_model(case.model, given, [])
    assert _distance(ours, exact) < _distance(outputs[0], exact)


def _causal_attention(q: Any, k: Any, v: Any) -> Any:
    """softmax(q k^T / sqrt(d)) v in float64, where no position looks ahead."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, np.exp(scores), 0)
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _distance(found: Any, exact: Any) -> float:
    return float(np.sqrt(np.mean((found.astype(np.float64) - exact) ** 2)))


def test_a_wrong_kernel_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(running.MAPPINGS, "Sin", running.MAPPINGS["Cos"])
    with pytest.raises(AssertionError):
        suite.run_case(CASES["test_sin"])
