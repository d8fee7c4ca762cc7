"""Tolerances of one output: the rule for numbers by hand, and the rule for NaN and infinities."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.numerics.tolerance import Tolerance, beyond

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(("got", "accepted"), [(105.0, True), (105.1, False), (95.0, True), (94.9, False)])
def test_the_error_may_be_the_absolute_and_the_relative_tolerance_together(got: float, accepted: bool) -> None:
    assert Tolerance(0.03, 2.0).accepts(np.array([got]), np.array([100.0])).tolist() == [accepted]


@pytest.mark.parametrize("tolerance", [Tolerance(0.0, 0.0), Tolerance(1.0, 1e300)], ids=["exact", "wide"])
@pytest.mark.parametrize(
    ("got", "want", "accepted"),
    [
        (NAN, NAN, True),
        (NAN, 1.0, False),
        (1.0, NAN, False),
        (INF, INF, True),
        (-INF, INF, False),
        (INF, 1.0, False),
        (1.0, INF, False),
        (NAN, INF, False),
        (INF, NAN, False),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nan_is_near_nan_alone_and_an_infinity_near_itself_alone(
    tolerance: Tolerance, got: float, want: float, accepted: bool, dtype: type[np.floating]
) -> None:
    a, b = np.array([got, 0.0], dtype), np.array([want, 0.0], dtype)
    assert tolerance.accepts(a, b).tolist() == [accepted, True]
    assert beyond(tolerance, a, b) == (not accepted)


def test_each_element_may_have_a_tolerance_of_its_own() -> None:
    found = Tolerance(0.0, np.array([0.0, 1.0])).accepts(np.array([1.5, 1.5]), np.array([1.0, 1.0]))
    assert found.tolist() == [False, True]
