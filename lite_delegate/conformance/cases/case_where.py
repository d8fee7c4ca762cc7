"""Conformance cases of Where, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS, SHAPES
from .loops.scalars import INTEGERS, element


def _coordinates(condition: Array) -> Array:
    rows = [index for index in np.ndindex(*condition.shape) if condition[index].item()]
    return np.array(rows, dtype=np.int32).reshape(len(rows), condition.ndim)


def _chosen(condition: Array, x: Array, y: Array) -> Array:
    shape = np.broadcast_shapes(condition.shape, x.shape, y.shape)
    out = np.empty(shape, dtype=x.dtype)
    for index in np.ndindex(*shape):
        out[index] = element(x if element(condition, index) else y, index)
    return out


def _case(name: str, *inputs: Array, constants: frozenset[int] = frozenset()) -> ConformanceCase:
    y = _coordinates(inputs[0]) if len(inputs) == 1 else _chosen(*inputs)
    return ConformanceCase(name, "Where", inputs, (y,), constants=constants)


def _of_one_input() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(168)
    for name, shape in SHAPES:
        yield _case(f"coordinates_{name}", np.asarray(rng.uniform(size=shape) < 0.5))
    for dtype in (*FLOATS, *INTEGERS):
        yield _case(f"coordinates_of_{dtype}", rng.integers(0, 3, size=(3, 4)).astype(dtype))
    special = np.array([np.nan, 0.0, -0.0, np.inf, 1e-45], dtype=np.float32)
    yield _case("coordinates_of_special_values", special)
    yield _case("coordinates_none", np.zeros((2, 3), dtype=bool))
    yield _case("coordinates_all", np.ones((2, 3), dtype=bool))
    yield _case("coordinates_of_rank_0_true", np.array(True))
    yield _case("coordinates_constant", np.array([[True, False], [False, True]]), constants=frozenset({0}))


def _of_three_inputs() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(169)
    for name, shapes in [
        ("rank_0", ((), (), ())),
        ("rank_1", ((7,), (7,), (7,))),
        ("rank_4", ((2, 3, 2, 8), (2, 3, 2, 8), (2, 3, 2, 8))),
        ("rank_5", ((1, 2, 1, 3, 2), (1, 2, 1, 3, 2), (1, 2, 1, 3, 2))),
        ("one_condition", ((1,), (2, 3), (2, 3))),
        ("scalar_condition", ((), (2, 3), (2, 3))),
        ("scalar_x", ((2, 3), (), (2, 3))),
        ("one_element_y", ((2, 3), (2, 3), (1,))),
        ("scalar_sides", ((2, 3), (), ())),
        ("one_element_of_higher_rank", ((3,), (1, 1, 1), (3,))),
        ("condition_per_channel", ((17,), (2, 17), (2, 17))),
        ("all_stretch", ((2, 1, 1), (3, 1), (4,))),
        ("empty", ((2, 0), (2, 0), (2, 0))),
        ("empty_stretched", ((0, 3), (1, 3), (3,))),
    ]:
        condition = np.asarray(rng.uniform(size=shapes[0]) < 0.5)
        x, y = (np.asarray(rng.normal(size=s)).astype(np.float32) for s in shapes[1:])
        yield _case(name, condition, x, y)
    condition = np.array([[True, False, True]])
    for dtype in ("bool", *FLOATS, *INTEGERS):
        pair = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 2, 3)).astype(dtype)
        yield _case(f"sides_of_{dtype}", condition, pair[0], pair[1])
    x, y = rng.normal(size=(2, 2, 3)).astype(np.float32)
    yield _case("condition_of_int32", np.array([0, 2, -1], dtype=np.int32), x, y)
    yield _case("condition_of_float32", np.array([0.0, np.nan, 0.5], dtype=np.float32), x, y)
    yield _case("constant_condition", condition, x, y, constants=frozenset({0}))
    yield _case("constant_y", condition, x, y, constants=frozenset({2}))
    yield _case("all_constant", condition, x, y, constants=frozenset({0, 1, 2}))
    special = np.array([np.nan, np.inf, -np.inf], dtype=np.float32)
    yield _case("what_is_not_chosen_leaves_no_trace", condition, special, np.zeros(3, dtype=np.float32))


def cases() -> Iterator[ConformanceCase]:
    """Coordinates and choices: every dtype of the condition and the sides, ranks, broadcasting, constants."""
    yield from _of_one_input()
    yield from _of_three_inputs()
