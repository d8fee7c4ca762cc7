"""What is known before the model runs of operators that work element by element, choose or count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, spec_of

from tests.kernels.single_node import infer, run, spec, unranked

SAME_SHAPE = [
    "Abs",
    "Neg",
    "Ceil",
    "Floor",
    "Round",
    "Sqrt",
    "Rsqrt",
    "Square",
    "Reciprocal",
    "ExpFusion",
    "Log",
    "Log1p",
    "Sin",
    "Cos",
    "Erf",
    "LogicalNot",
    "Elu",
    "LeakyRelu",
    "LogSoftmax",
    "Dropout",
    "OnesLike",
    "ZerosLike",
    "Depend",
    "AddN",
]
PAIRS = ["LogicalAnd", "LogicalOr", "Mod", "FloorMod", "FloorDiv", "RealDiv", "SquaredDifference", "PowFusion"]
TO_BOOL = ["Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]
OPEN = spec(-1, 3, -1)


@pytest.mark.parametrize("op", SAME_SHAPE)
def test_one_input_keeps_what_is_known(op: str) -> None:
    assert infer(op, OPEN) == ArraySpec(OPEN.dtype, (-1, 3, -1))
    assert infer(op, unranked("float16")) == ArraySpec(np.dtype("float16"), None)


@pytest.mark.parametrize("op", [*PAIRS, *TO_BOOL])
def test_pairs_broadcast_what_is_known(op: str) -> None:
    dtype = np.dtype("bool" if op in TO_BOOL else "float32")
    assert infer(op, OPEN, spec(5)) == ArraySpec(dtype, (-1, 3, 5))
    assert infer(op, spec(2, 1), spec(-1)) == ArraySpec(dtype, (2, -1))
    assert infer(op, unranked(), spec(5)) == ArraySpec(dtype, None)


def test_clip_prelu_and_fake_quant_keep_the_shape() -> None:
    assert infer("Clip", OPEN, max=1.0).shape == OPEN.shape
    assert infer("Clip", unranked(), unranked(), unranked("int32")).shape is None
    assert infer("PReLUFusion", spec(2, -1), spec(7)).shape == (2, -1)
    assert infer("PReLUFusion", unranked(), unranked()).shape is None
    for op in ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"):
        assert infer(op, OPEN, unranked(), unranked(), num_bits=8).shape == OPEN.shape
        assert infer(op, unranked(), spec(1), spec(1), num_bits=8).shape is None


@pytest.mark.parametrize(
    ("x", "axis", "shape"),
    [(spec(-1, 6), -1, (-1, 3)), (spec(-1, 6), 0, (-1, 6)), (spec(4, -1), 0, (2, -1)), (unranked(), 3, None)],
)
def test_glu_halves_what_is_known(x: ArraySpec, axis: int, shape: tuple[int, ...] | None) -> None:
    assert infer("GLU", x, axis=axis).shape == shape


def test_is_finite_is_bool() -> None:
    assert infer("IsFinite", OPEN) == ArraySpec(np.dtype("bool"), (-1, 3, -1))


def test_add_n_learns_from_every_input() -> None:
    assert infer("AddN", spec(-1, 3), spec(2, -1), unranked()).shape == (2, 3)
    assert infer("AddN", unranked(), unranked()).shape is None


def test_dropout_has_a_mask_where_the_node_has_two_outputs() -> None:
    assert infer("Dropout", OPEN, output_count=2) == (ArraySpec(OPEN.dtype, OPEN.shape),) * 2


def test_assert_has_the_outputs_that_the_node_has() -> None:
    assert infer("Assert", spec(dtype="bool"), OPEN) == ()
    assert infer("Assert", spec(-1, dtype="bool"), output_count=1) == ArraySpec(np.dtype("bool"), (-1,))


def test_depend_hands_on_a_value() -> None:
    x = spec_of(np.array([1, 2]))
    assert infer("Depend", x, OPEN) is x


@pytest.mark.parametrize(("op", "expected"), [("Rank", 2), ("Size", 6)])
def test_counts_of_a_known_shape_are_known(op: str, expected: int) -> None:
    result = infer(op, spec(2, 3))
    assert (result.dtype, result.shape) == (np.dtype("int32"), ())
    assert int(result.value) == expected


def test_counts_of_an_unknown_shape() -> None:
    assert int(infer("Rank", OPEN).value) == 3
    assert infer("Rank", unranked()).value is None
    assert infer("Size", OPEN).value is None
    assert int(infer("Size", spec(-1, 0)).value) == 0
    assert infer("Size", unranked()) == ArraySpec(np.dtype("int32"), ())


@pytest.mark.parametrize(
    ("condition", "shape"),
    [
        (spec(2, 3, dtype="bool"), (-1, 2)),
        (spec(dtype="bool"), (-1, 0)),
        (unranked("bool"), (-1, -1)),
        (spec_of(np.array([[True, False], [True, True]])), (3, 2)),
        (spec_of(np.array([0, 0], dtype=np.int32)), (0, 1)),
    ],
)
def test_how_many_coordinates(condition: ArraySpec, shape: tuple[int, int]) -> None:
    assert infer("Where", condition) == ArraySpec(np.dtype("int32"), shape)


def test_a_choice_has_the_broadcast_shape() -> None:
    assert infer("Where", spec(3, 1, dtype="bool"), spec(-1), spec()) == ArraySpec(np.dtype("float32"), (3, -1))
    assert infer("Where", unranked("bool"), spec(2), spec(2)).shape is None


FLAG = spec(dtype="bool")
TRUE, FALSE = (spec_of(np.array(flag)) for flag in (True, False))


@pytest.mark.parametrize(
    ("condition", "sides", "shapes"),
    [
        (FLAG, (spec(2, 3), spec(2, 3)), [(2, 3)]),
        (FLAG, (spec(2, 3), spec(4, 3)), [(-1, 3)]),
        (FLAG, (spec(2, 3), spec(3)), [None]),
        (FLAG, (spec(2), unranked()), [None]),
        (TRUE, (spec(2, 3), spec(3)), [(2, 3)]),
        (FALSE, (spec(2, 3), spec(3)), [(3,)]),
        (FLAG, (spec(2), spec(3), spec(2), spec(5)), [(2,), (-1,)]),
        (spec(6, dtype="bool"), (spec(2, -1), spec(-1, 3)), [(2, 3)]),
        (spec(2, 3, dtype="bool"), (unranked(), spec(2, 3)), [(2, 3)]),
        (spec(2, 3, dtype="bool"), (unranked(), unranked()), [None]),
        (spec(-1, dtype="bool"), (spec(2, 3), spec(2, 3)), [(2, 3)]),
    ],
)
def test_select(condition: ArraySpec, sides: tuple[ArraySpec, ...], shapes: list[tuple[int, ...] | None]) -> None:
    assert [s.shape for s in infer("Select", condition, *sides)] == shapes


@pytest.mark.parametrize(
    ("axes", "keep", "shape"),
    [
        (None, 0, ()),
        (None, 1, (1, 1)),
        (spec_of(np.array([], dtype=np.int32)), 0, (-1, 3)),
        (spec_of(np.array([0])), 0, (3,)),
        (spec_of(np.array([-1])), 1, (-1, 1)),
        (spec(1, dtype="int32"), 0, (-1,)),
        (spec(1, dtype="int32"), 1, (-1, -1)),
        (spec(-1, dtype="int32"), 0, None),
    ],
)
def test_all(axes: ArraySpec | None, keep: int, shape: tuple[int, ...] | None) -> None:
    assert infer("All", spec(-1, 3, dtype="bool"), axes, keep_dims=keep).shape == shape


def _inputs(op: str) -> tuple[tuple[Array, ...], dict[str, Any]]:
    """Inputs of rank 0 of every operator that has an answer for them."""
    x, flag, one = np.array(0.5, dtype=np.float32), np.array(True), np.array(1, dtype=np.float32)
    given: dict[str, tuple[tuple[Array, ...], dict[str, Any]]] = {
        "Clip": ((x,), {"max": 1.0}),
        "PReLUFusion": ((x, one), {}),
        "FakeQuantWithMinMaxVars": ((x, -one, one), {"num_bits": 8}),
        "Where": ((flag, x, one), {}),
        "Select": ((flag, x, one), {}),
        "All": ((flag,), {}),
        "Rank": ((x,), {}),
        "Size": ((x,), {}),
        "IsFinite": ((x,), {}),
    }
    if op in given:
        return given[op]
    return ((x, one) if op in (*PAIRS, *TO_BOOL) else (x,)), {}


@pytest.mark.parametrize(
    "op",
    [op for op in (*SAME_SHAPE, *PAIRS, *TO_BOOL) if op != "LogSoftmax"]
    + ["Clip", "PReLUFusion", "FakeQuantWithMinMaxVars", "Where", "Select", "All", "Rank", "Size", "IsFinite"],
)
def test_rank_0_gives_an_array_not_a_scalar(op: str) -> None:
    inputs, attributes = _inputs(op)
    result = run(op, *inputs, **attributes)
    for output in result if isinstance(result, tuple) else (result,):
        assert isinstance(output, np.ndarray)
        assert output.shape == ()


def test_every_operator_named_here_exists() -> None:
    assert {*SAME_SHAPE, *PAIRS, *TO_BOOL} <= {kernel.op_type for kernel in ALL_KERNELS}
