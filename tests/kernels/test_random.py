"""UniformReal, RandomStandardNormal, RandomNormal: published numbers, moments, determinism, rejections, inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError, spec_of
from lite_delegate_kernels._philox import _words

from tests.kernels.single_node import infer, run, spec, unranked

MANY = np.array([200, 500], dtype=np.int32)
DRAWN = ["UniformReal", "RandomStandardNormal"]


def test_the_first_words_are_those_published_with_philox() -> None:
    """Salmon et al. publish known answers for their generator; this is the one for zeros."""
    assert _words(4, 0, 0).tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("op", DRAWN)
def test_the_same_seeds_give_the_same_numbers_and_others_give_others(op: str) -> None:
    first = run(op, MANY, seed=3, seed2=4)
    np.testing.assert_array_equal(first, run(op, MANY, seed=3, seed2=4), strict=True)
    for other in ({"seed": 4, "seed2": 3}, {"seed": 3}, {"seed2": 4}, {}):
        assert (first != run(op, MANY, **other)).mean() > 0.99


@pytest.mark.parametrize("op", DRAWN)
def test_fewer_numbers_are_the_first_of_more(op: str) -> None:
    many = run(op, np.array([101]), seed=3, seed2=4)
    for count in (0, 1, 4, 50, 99):
        np.testing.assert_array_equal(run(op, np.array([count]), seed=3, seed2=4), many[:count])


@pytest.mark.parametrize("seeds", [(0, 0), (1, 2), (987654321, 5)])
def test_moments_of_uniform_numbers(seeds: tuple[int, int]) -> None:
    x = run("UniformReal", MANY, seed=seeds[0], seed2=seeds[1]).astype(np.float64)
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < 0.004
    assert abs(x.var() - 1 / 12) < 0.002
    shares = np.histogram(x, bins=16, range=(0, 1))[0] / x.size
    assert np.abs(shares - 1 / 16).max() < 0.004


@pytest.mark.parametrize("seeds", [(0, 0), (1, 2), (987654321, 5)])
def test_moments_of_normal_numbers(seeds: tuple[int, int]) -> None:
    x = run("RandomStandardNormal", MANY, seed=seeds[0], seed2=seeds[1]).astype(np.float64)
    assert abs(x.mean()) < 0.015
    assert abs(x.std() - 1) < 0.01
    assert abs((x**3).mean()) < 0.04
    assert abs((x**4).mean() - 3) < 0.12
    assert abs(np.corrcoef(x.ravel()[::2], x.ravel()[1::2])[0, 1]) < 0.02


def test_random_normal_has_the_mean_and_the_scale_asked_for() -> None:
    like = np.zeros((300, 400), dtype=np.float32)
    x = run("RandomNormal", like, seed=5.0, mean=-2.0, scale=3.0)
    assert abs(x.mean() + 2) < 0.05
    assert abs(x.std() - 3) < 0.05
    np.testing.assert_array_equal(x, run("RandomNormal", like, seed=5.0, mean=-2.0, scale=3.0))
    assert (x != run("RandomNormal", like, seed=6.0, mean=-2.0, scale=3.0)).mean() > 0.99


@pytest.mark.parametrize("op", DRAWN)
@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (spec_of(np.array([2, 0, 5])), (2, 0, 5)),
        (spec_of(np.array([], dtype=np.int32)), ()),
        (spec(3, dtype="int32"), (-1, -1, -1)),
        (spec(-1, dtype="int32"), None),
        (unranked("int64"), None),
    ],
)
def test_what_is_known_of_the_shape(op: str, shape: ArraySpec, expected: Any) -> None:
    found = infer(op, shape)
    assert (found.shape, found.dtype) == (expected, np.float32)


@pytest.mark.parametrize("op", DRAWN)
@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (spec_of(np.array([2, -1])), r"shape must not be negative, got \[2, -1\]"),
        (spec(2, dtype="float32"), "shape must hold integers, got dtype float32"),
        (spec(2, 2, dtype="int32"), r"shape must be 1-D, got shape \(2, 2\)"),
    ],
)
def test_rejections(op: str, shape: ArraySpec, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, shape)
    if shape.value is not None:
        with pytest.raises(KernelInputError, match=message):
            run(op, shape.value)


def test_random_normal_keeps_the_spec() -> None:
    assert infer("RandomNormal", spec(-1, 3)).shape == (-1, 3)
    assert infer("RandomNormal", unranked("float16")).dtype == np.float16
    for attributes, message in (
        ({"seed": float("nan")}, "seed must be finite, got nan"),
        ({"scale": -1.0}, "scale must not be negative, got -1.0"),
    ):
        with pytest.raises(KernelInputError, match=message):
            infer("RandomNormal", spec(2), **attributes)
    with pytest.raises(KernelInputError, match="must be one of float32, float16, float64, got int32"):
        infer("RandomNormal", spec(2, dtype="int32"))
