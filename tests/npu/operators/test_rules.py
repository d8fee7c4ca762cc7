"""Rules of rejections: the limit without the value found, in the same words for all kernels that it keeps away."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import lite_delegate
from lite_delegate import Kernel, RejectCode, Rejected
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from tests.npu.graphs import node, variable

NPU = Path(lite_delegate.__file__).parent / "npu"
WITHOUT = {"OPERATOR", "POLICY"}
"""Codes that say it all: the operator is the rule, or somebody's choice is."""


def rejections() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(NPU.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Rejected":
                yield f"{path.relative_to(NPU)}:{call.lineno}", call


def test_every_rejection_of_the_npu_has_its_rule() -> None:
    found = list(rejections())
    assert found
    lacking = [place for place, call in found if ast.unparse(call.args[0])[11:] not in WITHOUT and len(call.args) < 3]
    assert not lacking


def rejected(kernel: Kernel) -> Rejected:
    answer = NPUDelegate("generic").supports(kernel)
    assert isinstance(answer, Rejected)
    return answer


def test_one_rule_for_all_tensors_and_operators_that_it_keeps_away() -> None:
    five, four = variable("x", (1, 1, 2, 3, 4)), variable("y", (1, 2, 3, 4))
    relu = rejected(node("Activation", [five], (1, 1, 2, 3, 4), activation_type="RELU"))
    add = rejected(node("AddFusion", [four, variable("z", (2, 1, 2, 3, 4))], (2, 1, 2, 3, 4)))
    assert (relu.code, relu.rule) == (add.code, add.rule) == (RejectCode.RANK, "rank up to 4")
    assert relu.reason != add.reason


def test_an_element_type_is_told_as_such() -> None:
    x = variable("x", (2, 3), DataType.INT64)
    answer = rejected(node("Activation", [x], (2, 3), DataType.INT64, activation_type="RELU"))
    assert (answer.code, answer.dtype) == (RejectCode.DTYPE, DataType.INT64)
    assert "INT64" not in answer.rule


def test_a_rejection_by_rule_has_the_rule_and_what_was_found() -> None:
    answer = Rejected.by_rule(RejectCode.SHAPE, "width must be at most 8", "is 9")
    assert (answer.reason, answer.rule, answer.dtype) == (
        "width must be at most 8, is 9",
        "width must be at most 8",
        None,
    )
    assert answer == Rejected(RejectCode.SHAPE, "width must be at most 8, is 9")
