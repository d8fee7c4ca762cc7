"""Attention, AllGather, ReduceScatter: rejections and unknown dimensions."""

from __future__ import annotations

from typing import Any

import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError

from tests.kernels.single_node import infer, spec, unranked

Specs = tuple[ArraySpec | None, ...]

U = unranked()
X = spec(2, 3, 5)
SOURCE = spec(2, 4, 5)
PACKED = (spec(5, 18), spec(6, 6), spec(18), spec(6))
CROSS = (spec(5, 6), spec(5, 12), *PACKED[1:])
SEPARATE = (spec(5, 6), spec(5, 6), spec(5, 6), spec(6, 6), spec(6), spec(6), spec(6), spec(6))
TABLE = (*PACKED[:2], spec(1, 2, 3, 3))
HEADS = {"head_num": 2, "head_size": 3}


@pytest.mark.parametrize(
    ("specs", "attributes", "shapes"),
    [
        ((X, X, X, *PACKED), HEADS, [(2, 3, 6), (2, 2, 3, 3), (2, 2, 3, 3)]),
        ((X, SOURCE, SOURCE, *SEPARATE), HEADS, [(2, 3, 6), (2, 2, 3, 4), (2, 2, 4, 3)]),
        ((X, SOURCE, SOURCE, *CROSS), {**HEADS, "cross": True}, [(2, 3, 6), (2, 2, 3, 4), (2, 2, 4, 3)]),
        ((X, X, X, *PACKED, None), HEADS, [(2, 3, 6), (2, 2, 3, 3), (2, 2, 3, 3)]),
        ((spec(3, 5), spec(4, 5), spec(4, 5), *PACKED), HEADS, [(3, 6), (1, 2, 3, 4), (1, 2, 4, 3)]),
        ((spec(-1, -1, 5), U, spec(2, 4, -1), *PACKED), HEADS, [(2, -1, 6), (2, 2, 3, 4), (2, 2, 4, 3)]),
        ((U, U, U, *PACKED), HEADS, [None, (-1, 2, 3, -1), (-1, 2, -1, 3)]),
        ((X, X, X, U, U, U, U), HEADS, [(2, 3, -1), (2, 2, 3, 3), (2, 2, 3, 3)]),
        ((X, X, X, U, U, U, spec(7)), HEADS, [(2, 3, 7), (2, 2, 3, 3), (2, 2, 3, 3)]),
        ((X, X, X, U, U, U, U), {"head_num": 2}, [(2, 3, -1), (2, 2, -1, 3), (2, 2, 3, -1)]),
        ((X, X, X, *PACKED), {"head_num": 3}, [(2, 3, 6), (2, 3, 2, 3), (2, 3, 3, 2)]),
        ((X, X, X, *PACKED, U), HEADS, [(2, 3, 6), (2, 2, 3, 3), (2, 2, 3, 3)]),
        ((X, X, X, *TABLE, U), {**HEADS, "scale": 1.0}, [(2, 3, 6), (2, 2, 3, 3), (2, 2, 3, 3)]),
    ],
)
def test_attention_shapes(specs: Specs, attributes: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> None:
    assert [s.shape for s in infer("Attention", *specs, **attributes, output_count=3)] == shapes
    assert infer("Attention", *specs, **attributes).shape == shapes[0]


@pytest.mark.parametrize(
    ("specs", "attributes", "message"),
    [
        ((X, X, X, *PACKED), {}, "head_num must be positive and head_size not negative, got 0 and 0"),
        ((X, X, X, *PACKED), {"head_num": 2, "head_size": -1}, "got 2 and -1"),
        ((X, X, X, *PACKED), {"head_num": 4}, "head_num 4 must divide the 6 rows of the output weight"),
        ((X, X, X, *PACKED), {**HEADS, "output_count": 2}, "1 or 3 outputs expected, got 2"),
        ((X, X, X, *PACKED[:2]), HEADS, "6 to 8 inputs, or 11 or 12 expected where cross is False, got 5"),
        ((X, X, X, *CROSS, U, U), {**HEADS, "cross": True}, "7 to 9 inputs, or 11 or 12 .* cross is True, got 10"),
        ((X, X, X, *SEPARATE, U, U), HEADS, "11 or 12 expected where cross is False, got 13"),
        ((X, X, X, spec(5, 18), None, spec(18), spec(6)), HEADS, "input 4 must be given"),
        ((spec(2, 3, 5, dtype="int32"), X, X, *PACKED), HEADS, "input 0 must be one of float32, .*, got int32"),
        ((X, X, X, *PACKED, spec(2, 3, 3, dtype="bool")), HEADS, "input 7 must be one of float32, .*, got bool"),
        ((spec(5), X, X, *PACKED), HEADS, "must have 2 or 3 dims, got 1"),
        ((X, spec(4, 5), X, *PACKED), HEADS, r"key must have shape \(2, \?, \?\), got \(4, 5\)"),
        ((X, spec(3, 4, 5), X, *PACKED), HEADS, r"key must have shape \(2, \?, \?\)"),
        ((X, X, SOURCE, *PACKED), HEADS, r"value must have shape \(2, 3, \?\), got \(2, 4, 5\)"),
        ((X, X, X, spec(5, 12), *PACKED[1:]), HEADS, r"weight of query and key and value must .*\(5, 18\)"),
        ((X, X, spec(2, 3, 7), *PACKED), HEADS, r"weight of query and key and value must .*\(7, 18\)"),
        ((X, X, X, spec(5, 7), *CROSS[1:]), {**HEADS, "cross": True}, r"weight of query must have shape \(5, 6\)"),
        ((X, X, X, CROSS[0], spec(5, 6), *CROSS[2:]), {**HEADS, "cross": True}, r"key and value must .*\(5, 12\)"),
        ((X, X, X, *SEPARATE[:5], spec(5), *SEPARATE[6:]), HEADS, r"bias must have shape \(6,\), got \(5,\)"),
        ((X, X, X, *PACKED[:2], spec(6), spec(6)), HEADS, r"bias must have shape \(18,\), got \(6,\)"),
        ((X, X, X, PACKED[0], spec(5, 6), *PACKED[2:]), HEADS, r"output weight must have shape \(6, \?\)"),
        ((X, X, X, *PACKED[:3], spec(5)), HEADS, r"output bias must have shape \(6,\), got \(5,\)"),
        ((X, X, X, *PACKED, spec(2, 3, 4)), HEADS, r"mask must have dims \(2, 3, 3\), or 1 .* got shape \(2, 3, 4\)"),
        ((X, X, X, *PACKED, spec(2, 3, 3, 3)), HEADS, r"mask must have dims \(2, 2, 3, 3\)"),
        ((X, X, X, *PACKED, spec(3, 3)), HEADS, r"mask must have dims \(2, 3, 3\)"),
        ((X, X, X, *TABLE), HEADS, "scale must be given with a position bias"),
        ((X, X, X, *TABLE[:2], spec(2, 3, 3)), {**HEADS, "scale": 1.0}, r"position bias must have dims \(2, 2, 3, 3\)"),
    ],
)
def test_attention_rejections(specs: Specs, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("Attention", *specs, **attributes)


@pytest.mark.parametrize("op", ["AllGather", "ReduceScatter"])
def test_one_rank_keeps_what_is_known(op: str) -> None:
    for x in (U, spec(-1, 3), spec(2, 3)):
        assert infer(op, x, rank_size=1) == x


@pytest.mark.parametrize("op", ["AllGather", "ReduceScatter"])
@pytest.mark.parametrize("rank_size", [2, 8, -1])
def test_several_ranks_are_rejected(op: str, rank_size: int) -> None:
    with pytest.raises(KernelInputError, match=f"as this runtime has one rank; got {rank_size}"):
        infer(op, X, rank_size=rank_size)


@pytest.mark.parametrize("mode", ["ReduceSumSquare", "ReduceASum", "ReduceAll", "ReduceL2"])
def test_reductions_that_communication_lacks_are_rejected(mode: str) -> None:
    with pytest.raises(KernelInputError, match=f"mode must be one of ReduceMean, .*, got {mode}"):
        infer("ReduceScatter", X, rank_size=1, mode=mode)


def test_what_is_no_number_is_not_reduced() -> None:
    with pytest.raises(KernelInputError, match="got bool"):
        infer("ReduceScatter", spec(2, dtype="bool"), rank_size=1)
