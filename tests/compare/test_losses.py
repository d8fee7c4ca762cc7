"""The kernels at which digits get lost: by rounded runs, and by prefixes on the device."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.compare import CompareOptions, Loss, compare
from lite_delegate.compare.losses.losses import NOTHING_LEFT, holds_db
from lite_delegate.ir import DataType
from tests.compare import planted
from tests.compare.losing import built, far_from_zero, large, layer_norm, overflowing
from tests.compare.planted import Planted
from tests.present import present
from tests.runtime.graphs import chain


def losses(options: CompareOptions | None = None) -> dict[str, Loss]:
    return {loss.kernel: loss for loss in compare(built(layer_norm()), far_from_zero(), options).losses}


def test_the_difference_that_cancels_loses_most() -> None:
    found = losses()
    assert next(iter(found)) == "variance"
    assert set(found) <= {"variance", "centered", "normed"}


def test_the_ratio_is_that_of_a_rounding_by_hand() -> None:
    """E[x^2] - E[x]^2 with each tensor rounded to float16 by numpy, against the same in float64."""

    def half(x: np.ndarray) -> np.ndarray:
        return x.astype(np.float16).astype(np.float64)

    x = far_from_zero()["x"].astype(np.float64)
    exact = (x**2).mean(1) - x.mean(1) ** 2
    given = half(x)
    mean = half(given.mean(1))
    rounded = half(half(half(given**2).mean(1)) - half(mean**2))
    want = 20 * np.log10(np.linalg.norm(exact) / np.linalg.norm(rounded - exact))
    assert losses()["variance"].out_db == pytest.approx(want, abs=0.1)


def test_prefixes_show_the_same_on_the_device() -> None:
    loss = losses(CompareOptions(bisect=True))["variance"]
    assert present(loss.device_in_db) > 50
    assert present(loss.device_out_db) < 0
    assert loss.note == ""


def test_a_sum_that_overflows_leaves_nothing() -> None:
    (first, *_) = compare(built(overflowing()), large()).losses
    assert (first.kernel, first.out_db) == ("exp", NOTHING_LEFT)


def test_they_are_shown_on_request_where_the_model_is_usable() -> None:
    near = {"x": far_from_zero()["x"] - np.float32(97)}  # a mean of 3 costs some digits, not all
    found = compare(built(layer_norm()), near, CompareOptions(losses=True))
    assert found.usable
    assert found.losses[0].kernel == "variance"


def test_a_delegate_that_states_no_type_has_none_and_says_so() -> None:
    x = {"x": np.ones((2, 3), np.float32)}
    found = compare(planted.built(chain(2), Planted({"n1": np.zeros_like})), x)
    assert found.losses == ()
    assert any("no delegate states a storage type" in note for note in found.notes)


def test_what_a_type_holds() -> None:
    """Numbers rounded to float16 once, measured: within 3 dB of what is said."""
    x = np.random.default_rng(0).standard_normal(10_000)
    noise = x.astype(np.float16).astype(np.float64) - x
    measured = 20 * np.log10(np.linalg.norm(x) / np.linalg.norm(noise))
    assert holds_db(DataType.FLOAT16) == pytest.approx(measured, abs=3)
