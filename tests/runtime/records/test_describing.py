"""Attributes become what JSON can hold."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lite_delegate.runtime.records.describing import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.array(2.5, np.float32), 2.5),
        (np.array([[1, 2], [3, 4]]), ((1, 2), (3, 4))),
        (np.array([True, False]), (True, False)),
        (np.array([np.inf, np.nan], np.float16), ("inf", "nan")),
        (np.array([b"ab"]), ("2 bytes: 6162",)),
        ([np.int64(3), None], (3, None)),
    ],
)
def test_arrays_of_any_rank_become_plain_values(value: object, expected: object) -> None:
    assert plain(value) == expected
    json.dumps(plain(value), allow_nan=False)
