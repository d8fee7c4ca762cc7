"""Numbers that keep their value in another type, against Python's own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.batch.rows.exact_numbers import in_type

NAMES = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")


def numbers(name: str) -> st.SearchStrategy[float]:
    if name.startswith("float"):
        edges = [2.0**7, 2.0**31, 2.0**32, 2.0**63, 2.0**64, -(2.0**63)]
        width = {"float16": 16, "float32": 32, "float64": 64}[name]
        found = st.floats(width=width)  # type: ignore[arg-type]
        return found if width == 16 else found | st.sampled_from(edges)
    limits = np.iinfo(name)
    near = [limits.min, limits.max, 2**53 + 1, 2**60, -1, 255, 128]
    return st.integers(int(limits.min), int(limits.max)) | st.sampled_from(
        [int(each) for each in near if limits.min <= each <= limits.max]
    )


def keeps(value: float, wanted: str) -> bool:
    if isinstance(value, float) and math.isnan(value):
        return wanted.startswith("float")
    if wanted.startswith("float"):
        with np.errstate(all="ignore"):
            made = float(np.dtype(wanted).type(value))
        return made == value if math.isinf(made) or isinstance(value, float) else int(made) == value
    limits = np.iinfo(wanted)
    return not math.isinf(value) and value == int(value) and int(limits.min) <= value <= int(limits.max)


@pytest.mark.parametrize("given_type", NAMES)
@pytest.mark.parametrize("wanted", NAMES)
def test_rows_that_keep_their_numbers(given_type: str, wanted: str) -> None:
    @settings(max_examples=50, deadline=None)
    @given(st.lists(st.tuples(numbers(given_type), numbers(given_type)), min_size=1, max_size=4))
    def check(rows: list[tuple[float, float]]) -> None:
        values = np.array(rows, given_type)
        made, is_same = in_type(values, np.dtype(wanted))
        assert made.dtype == wanted
        assert is_same.tolist() == [all(keeps(value, wanted) for value in row) for row in rows]

    check()
