"""The one rule for dimensions that a file leaves open."""

from __future__ import annotations

import pytest

from lite_delegate import DataType, InputError
from lite_delegate.formats.input_shapes import close_shapes, follow_shapes, give_shapes
from lite_delegate.ir import OpenShape, Value

F32 = DataType.FLOAT32
Shape = tuple[int, ...] | None


def value(name: str, shape: Shape, *symbols: str, usual: Shape = None) -> Value:
    return Value(name, F32, shape, open_shape=OpenShape(symbols, usual))


def closed(*inputs: Value) -> list[Shape]:
    found = close_shapes(inputs).shapes
    return [found.get(each) for each in inputs]


def test_what_is_open_is_what_the_file_has_beside_it_and_1_otherwise() -> None:
    x, y = value("x", (-1, -1, 3), usual=(2, 7, 3)), value("y", (4, -1))
    assert closed(x, y) == [(2, 7, 3), (4, 1)]
    assert closed(value("x", (-1, 3), usual=(0, 3))) == [(1, 3)]


def test_known_shapes_unknown_ranks_and_strings_stay() -> None:
    assert closed(value("x", (2, 3)), value("y", None), Value("z", DataType.STRING, (-1,))) == [None, None, None]
    assert not close_shapes([value("x", ())]).shapes


def test_inputs_share_what_has_one_name_in_the_file() -> None:
    ids, mask, other = value("ids", (-1, -1), "N", "L"), value("mask", (-1, -1), "N", "L"), value("o", (-1,), "M")
    assert closed(ids, mask, other) == [(1, 1), (1, 1), (1,)]
    give_shapes([ids, mask, other], {"mask": (4, 7)})
    assert closed(ids, mask, other) == [(4, 7), None, (1,)]
    both = value("x", (-1, -1), "N", "", usual=(2, 5))
    assert closed(both, mask) == [(4, 5), None]


def test_the_line_names_the_input_its_shape_in_the_file_and_the_option() -> None:
    x, y = value("x y", (-1, 3, -1), "N", "", ""), value("y", (-1,))
    assert close_shapes([x, y]).text == (
        "Open dimensions: 'x y' [N, 3, -1] is taken as [1, 3, 1], 'y' [-1] is taken as [1]; to change that: "
        "--input-shape 'x y=1,3,1' --input-shape y=1"
    )


def test_data_gives_open_inputs_their_shapes_where_it_fits() -> None:
    inputs = [value("a", (-1, 3)), value("b", (-1, 3)), value("c", (2, 3)), value("d", None)]
    follow_shapes(inputs, {"a": (0, 3), "b": (5, 4), "c": (7, 3), "d": (2, 2)})
    assert [v.shape for v in inputs] == [(0, 3), (-1, 3), (2, 3), (2, 2)]


def test_an_input_of_unknown_rank_can_be_given_any_shape() -> None:
    x = value("x", None)
    give_shapes([x], {"x": (2, 3)})
    assert x.shape == (2, 3)
    with pytest.raises(InputError, match=r"input_shapes of 'x' must be at least 1, got \[0\]"):
        give_shapes([value("x", None)], {"x": (0,)})
