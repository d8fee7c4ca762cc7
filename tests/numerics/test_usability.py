"""Usable or not, by cases worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import pack_strings

from lite_delegate import DataType
from lite_delegate.ir import QuantParam
from lite_delegate.numerics.usability import OutputKind, OutputUse, UsableLimits, use_of

LIMITS, PLAIN = UsableLimits(), OutputKind("y")


def use(got: np.ndarray, want: np.ndarray, limits: UsableLimits = LIMITS, kind: OutputKind = PLAIN) -> OutputUse:
    return use_of(kind, got, want, limits)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_the_ratio_is_noise_against_signal() -> None:
    """A signal of norm 5 with noise of norm 0.5 is at 20 dB, with 0.51 below."""
    want = f32(3, 4)
    assert use(f32(3.5, 4), want).snr_db == pytest.approx(20)
    assert use(f32(3.49, 4), want).usable
    found = use(f32(3.51, 4), want)
    assert not found.usable
    assert found.reasons == ("19.8 dB, not 20",)


def test_the_cosine_is_that_of_the_angle() -> None:
    """A turn by 30 degrees."""
    found = use(f32(math.sqrt(3) / 2, 0.5), f32(1, 0), UsableLimits(snr_db=0))
    assert found.cosine == pytest.approx(math.sqrt(3) / 2)
    assert found.reasons == ("cosine 0.866, not 0.99",)


def test_differences_within_the_floor_are_usable_whatever_their_ratio() -> None:
    assert use(f32(9e-7), f32(1e-9)).usable
    assert not use(f32(2e-6), f32(1e-9)).usable
    assert use(f32(2e-6), f32(1e-9), UsableLimits(floor=1e-5)).usable
    assert not use(f32(1), f32(0)).usable
    assert use(f32(0), f32(0)).usable


def test_what_is_not_a_number_or_infinite_must_be_in_both() -> None:
    assert use(f32(1, math.nan, math.inf), f32(1, math.nan, math.inf)).usable
    found = use(f32(1, math.nan), f32(1, 2))
    assert (found.usable, found.snr_db) == (False, None)
    assert "1 of 2 elements are NaN or infinite in one of the two only" in found.reasons


def test_another_class_is_not_usable_though_the_numbers_are_near() -> None:
    want, got = f32(0.5, 0.48, 0.02).reshape(1, 3), f32(0.48, 0.5, 0.02).reshape(1, 3)
    found = use(got, want)
    assert (found.class_axis, found.agreement) == (1, 0.0)
    assert found.reasons == ("class 1 in place of 0 (the reference has 0.48 and 0.5)",)
    assert use(got, want, UsableLimits(classes=())).usable


def test_classes_nearer_than_the_roundings_of_the_device_are_one() -> None:
    want, got = f32(0.4501, 0.45, 0.0999), f32(0.45, 0.4501, 0.0999)
    assert not use(got, want).usable
    assert use(got, want, kind=OutputKind("y", storage=DataType.FLOAT16)).usable


def test_one_row_of_many_may_be_another() -> None:
    want = np.tile(f32(0.6, 0.4), (200, 1))
    got = want.copy()
    got[:2] = got[:2, ::-1]
    assert use(got, want).usable
    got[:3] = f32(0.4, 0.6)
    assert use(got, want).agreement == pytest.approx(0.985)
    assert "in row 0" in use(got, want).reasons[-1]


def test_logits_and_named_outputs_hold_classes() -> None:
    want, got = f32(5, 4.9, 0).reshape(1, 3), f32(4.9, 5, 0).reshape(1, 3)
    assert use(got, want).usable
    assert not use(got, want, kind=OutputKind("y", is_logits=True)).usable
    assert not use(got, want, UsableLimits(classes=("y",))).usable
    assert use(got, want, UsableLimits(classes=("z",))).usable


def test_integers_that_stand_for_real_numbers_are_those() -> None:
    """Around a zero point of 100, one step of 2 is half of the signal: 6 dB, not the 40 of 102 against 101."""
    kind = OutputKind("y", (QuantParam(0.5, 100),))
    found = use(np.array([101], np.uint8), np.array([102], np.uint8), kind=kind)
    assert found.snr_db == pytest.approx(20 * math.log10(2))


def test_other_integers_bool_and_strings_are_counted() -> None:
    want = np.arange(200)
    got = want.copy()
    got[:2] += 1
    assert use(got, want).agreement == pytest.approx(0.99)
    assert use(got, want).usable
    got[2] += 1
    assert use(got, want).reasons == ("98.5% of the elements are equal, not 99.0%",)
    assert not use(np.array([True]), np.array([False])).usable
    assert use(pack_strings([b"a", b"b"]), pack_strings([b"a", b"c"])).agreement == 0.5
    assert use(np.zeros(0, np.int32), np.zeros(0, np.int32)).usable


def test_another_type_or_shape_is_not_usable() -> None:
    assert use(f32(1), f32(1, 2)).reasons == ("float32 [1] in place of float32 [2]",)
    assert not use(f32(1), np.array([1])).usable


@pytest.mark.parametrize(
    "values", [{"snr_db": math.nan}, {"cosine": 2}, {"agreement": -1}, {"floor": -1.0}, {"classes": "y"}]
)
def test_limits_that_make_no_sense(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        UsableLimits(**values)
