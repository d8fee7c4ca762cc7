"""Cases of ArgMaxFusion and ArgMinFusion: which outputs there are, axes, ties, several elements, dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..loops.selection import NUMBER_DTYPES, best_along, with_ties
from ..samples import exact, sample

SHAPES: list[tuple[str, tuple[int, ...], int, int]] = [
    ("rank_1", (9,), 0, 1),
    ("rank_1_three", (9,), 0, 3),
    ("rank_2_last", (3, 17), -1, 1),
    ("rank_2_last_two", (3, 17), -1, 2),
    ("rank_2_axis_0", (7, 3), 0, 1),
    ("rank_3_middle", (2, 8, 3), 1, 1),
    ("rank_3_middle_all", (2, 4, 3), -2, 4),
    ("rank_4_channels_16", (1, 2, 2, 16), 3, 1),
    ("rank_5_two", (2, 1, 3, 4, 2), 3, 2),
    ("one_element", (1, 1), 1, 1),
    ("empty_batch", (0, 5), 1, 1),
]


def selection_cases(op_type: str, seed: int, *, largest: bool) -> Iterator[ConformanceCase]:
    """Every shape with every choice of outputs, ties, special values, every dtype that has an order."""
    rng = np.random.default_rng(seed)
    for name, shape, axis, top_k in SHAPES:
        for form in ("indices", "values", "both"):
            for keep_dims in (False, True):
                x = sample(rng, shape)
                case = f"{name}_{form}{'_keep_dims' * keep_dims}"
                yield _case(op_type, case, x, axis, top_k, form=form, keep_dims=keep_dims, largest=largest)
    tied = with_ties(rng, (4, 9))
    special = np.array([1.0, np.nan, -np.inf, np.inf, np.nan, 0.0, -0.0], dtype=np.float32)
    zeros = np.array([-0.0, 0.0, 1.0 - 2.0 * largest], dtype=np.float32)
    for top_k in (1, 3):
        yield _case(op_type, f"ties_{top_k}", tied, 1, top_k, largest=largest)
        yield _case(op_type, f"special_values_{top_k}", special, 0, top_k, largest=largest)
        lines = np.stack([special, special[::-1]])
        yield _case(op_type, f"special_values_in_lines_{top_k}", lines, -1, top_k, largest=largest)
        yield _case(op_type, f"special_values_in_columns_{top_k}", lines.T, 0, top_k, largest=largest)
        yield _case(op_type, f"infinities_{top_k}", special[[0, 2, 3, 5]], 0, top_k, largest=largest)
        yield _case(op_type, f"zeros_are_equal_{top_k}", zeros, 0, top_k, largest=largest)
    for dtype in NUMBER_DTYPES:
        for top_k in (1, 4):
            x = sample(rng, (2, 9), dtype)
            yield _case(op_type, f"dtype_{dtype}_{top_k}", x, -1, top_k, largest=largest)
    x = sample(rng, (3, 4))
    expected = best_along(x, 0, 1, largest=largest)[1][0]
    yield exact(op_type, "default_axis_is_0", (x,), (expected,), {"top_k": 1})


def _case(
    op_type: str,
    name: str,
    x: Array,
    axis: int,
    top_k: int,
    *,
    form: str = "both",
    keep_dims: bool = False,
    largest: bool,
) -> ConformanceCase:
    a = axis % x.ndim
    values, indices = best_along(x, a, top_k, largest=largest)
    if top_k == 1 and not keep_dims:
        values, indices = values.squeeze(a), indices.squeeze(a)
    attributes: dict[str, Any] = {"axis": axis, "top_k": top_k, "keep_dims": keep_dims}
    attributes["out_max_value"] = form == "values"
    outputs = {"indices": (indices,), "values": (values,), "both": (indices, values)}[form]
    return exact(op_type, name, (x,), outputs, attributes)
