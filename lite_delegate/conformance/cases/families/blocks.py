"""Cases of the operators that move blocks between space and batch, expected values by loops over every element."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..samples import OTHER_DTYPES, exact, sample

Pairs = tuple[tuple[int, int], ...]
Shape = tuple[int, ...]
Loop = Callable[[Array, Shape, Pairs], Array]
Case = tuple[str, Shape, Shape, Pairs]

NO_BORDERS: Pairs = ((0, 0), (0, 0))


def to_batch_loop(x: Array, block: Shape, pads: Pairs) -> Array:
    """Every output element is the input element, or the padding, that its block and its place in the block name."""
    count = len(block)
    padded = [d + sum(p) for d, p in zip(x.shape[1 : 1 + count], pads, strict=True)]
    cells = [d // b for d, b in zip(padded, block, strict=True)]
    out = np.zeros((x.shape[0] * math.prod(block), *cells, *x.shape[1 + count :]), dtype=x.dtype)
    for place in np.ndindex(*out.shape):
        cell, image = divmod(place[0], x.shape[0])
        inside = _unravel(cell, block)
        source = [p * b + i - pad[0] for p, b, i, pad in zip(place[1:], block, inside, pads, strict=False)]
        if all(0 <= s < d for s, d in zip(source, x.shape[1:], strict=False)):
            out[place] = x[(image, *source, *place[1 + count :])]
    return out


def from_batch_loop(x: Array, block: Shape, crops: Pairs) -> Array:
    """Every output element is the input element that its position before cropping names."""
    count = len(block)
    sizes = [d * b - sum(c) for d, b, c in zip(x.shape[1:], block, crops, strict=False)]
    batch = x.shape[0] // math.prod(block)
    out = np.empty((batch, *sizes, *x.shape[1 + count :]), dtype=x.dtype)
    for place in np.ndindex(*out.shape):
        whole = [p + c[0] for p, c in zip(place[1 : 1 + count], crops, strict=True)]
        cell = 0
        for position, b in zip(whole, block, strict=True):
            cell = cell * b + position % b
        blocks = [position // b for position, b in zip(whole, block, strict=True)]
        out[place] = x[(cell * batch + place[0], *blocks, *place[1 + count :])]
    return out


def _unravel(cell: int, block: Shape) -> Shape:
    inside: list[int] = []
    for b in reversed(block):
        cell, position = divmod(cell, b)
        inside.insert(0, position)
    return tuple(inside)


TO_BATCH: list[Case] = [
    ("one_block", (1, 2, 2, 1), (2, 2), NO_BORDERS),
    ("blocks", (1, 4, 6, 3), (2, 2), NO_BORDERS),
    ("uneven_block", (1, 4, 6, 2), (2, 3), NO_BORDERS),
    ("block_of_rows", (1, 4, 3, 2), (2, 1), NO_BORDERS),
    ("block_1_changes_nothing", (2, 3, 3, 2), (1, 1), NO_BORDERS),
    ("batch", (3, 2, 4, 2), (2, 2), NO_BORDERS),
    ("padded_after", (1, 3, 5, 2), (2, 2), ((0, 1), (0, 1))),
    ("padded_unevenly", (2, 3, 4, 1), (2, 3), ((1, 2), (0, 2))),
    ("padding_wider_than_the_image", (1, 1, 1, 2), (2, 2), ((3, 0), (0, 5))),
    ("one_axis", (2, 4, 3, 2), (2,), ((1, 1),)),
    ("one_axis_of_rank_3", (2, 5, 7), (3,), ((0, 1),)),
    ("nothing_after_the_axes", (2, 4), (2,), ((0, 0),)),
    ("three_axes", (1, 2, 4, 2, 3), (2, 2, 2), ((0, 0), (1, 1), (0, 0))),
    ("channels_16", (1, 2, 2, 16), (2, 2), NO_BORDERS),
    ("channels_17", (1, 2, 2, 17), (2, 2), NO_BORDERS),
    ("empty_batch", (0, 2, 2, 3), (2, 2), NO_BORDERS),
    ("empty_image_padded", (1, 0, 2, 3), (2, 2), ((2, 0), (0, 0))),
]

FROM_BATCH: list[Case] = [
    ("one_block", (4, 1, 1, 1), (2, 2), NO_BORDERS),
    ("blocks", (4, 2, 3, 3), (2, 2), NO_BORDERS),
    ("uneven_block", (6, 2, 2, 2), (2, 3), NO_BORDERS),
    ("block_of_rows", (2, 2, 3, 2), (2, 1), NO_BORDERS),
    ("block_1_changes_nothing", (2, 3, 3, 2), (1, 1), NO_BORDERS),
    ("batch", (12, 1, 2, 2), (2, 2), NO_BORDERS),
    ("cropped_after", (4, 2, 3, 2), (2, 2), ((0, 1), (0, 1))),
    ("cropped_unevenly", (12, 3, 2, 1), (2, 3), ((1, 2), (0, 2))),
    ("cropped_to_nothing", (4, 1, 1, 2), (2, 2), ((2, 0), (0, 1))),
    ("one_axis", (4, 3, 3, 2), (2,), ((1, 1),)),
    ("one_axis_of_rank_3", (6, 2, 7), (3,), ((0, 1),)),
    ("nothing_after_the_axes", (4, 3), (2,), ((0, 0),)),
    ("three_axes", (8, 1, 3, 1, 3), (2, 2, 2), ((0, 0), (1, 1), (0, 0))),
    ("channels_16", (4, 1, 1, 16), (2, 2), NO_BORDERS),
    ("channels_17", (4, 1, 1, 17), (2, 2), NO_BORDERS),
    ("empty_batch", (0, 2, 2, 3), (2, 2), NO_BORDERS),
    ("empty_image", (4, 0, 2, 3), (2, 2), NO_BORDERS),
]


def block_cases(
    op_type: str, loop: Loop, shapes: list[Case], attributes: tuple[str, str], seed: int
) -> Iterator[ConformanceCase]:
    """Every shape with attributes and with inputs, absent borders, inputs that are not constant, every dtype.

    Args:
        op_type: the operator.
        loop: what it means.
        shapes: name, input shape, block, borders.
        attributes: the names of the attributes that hold block and borders.
        seed: of the inputs.
    """
    rng = np.random.default_rng(seed)
    for name, shape, block, borders in shapes:
        x = sample(rng, shape)
        expected = loop(x, block, borders)
        yield exact(op_type, name, (x,), (expected,), dict(zip(attributes, (block, borders), strict=True)))
        inputs = (x, np.array(block, dtype=np.int32), np.array(borders, dtype=np.int32))
        yield exact(op_type, f"{name}_as_inputs", inputs, (expected,), constants={1, 2})
    x = sample(rng, (4, 2, 2, 3))
    expected = loop(x, (2, 2), NO_BORDERS)
    yield exact(op_type, "absent_borders", (x,), (expected,), {attributes[0]: (2, 2)})
    expected = loop(x, (2,), NO_BORDERS[:1])
    yield exact(op_type, "absent_borders_of_one_axis", (x,), (expected,), {attributes[0]: (2,)})
    inputs = (x, np.array([2, 2], dtype=np.int64), np.array([[1, 1], [1, 1]], dtype=np.int64))
    bordered = loop(x, (2, 2), ((1, 1), (1, 1)))
    yield exact(op_type, "inputs_not_constant_replace_attributes", inputs, (bordered,), {attributes[0]: (1, 1)})
    for dtype in OTHER_DTYPES:
        x = sample(rng, (4, 2, 2, 3), dtype)
        yield exact(op_type, f"dtype_{dtype}", (x,), (loop(x, (2, 2), NO_BORDERS),), {attributes[0]: (2, 2)})
