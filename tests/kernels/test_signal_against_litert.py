"""Rfft, AudioSpectrogram, Mfcc, LRN, L2NormalizeFusion, random numbers and LshProjection against LiteRT."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.litert_node import run_litert
from tests.kernels.single_node import normal, run


def _close(got: Array, want: Array, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, strict=True)


@pytest.mark.parametrize("length", [8, 16, 64])
def test_rfft(length: int) -> None:
    x = normal(3, 1, 32, seed=1)
    lengths = np.array([1, length], dtype=np.int32)
    wanted = run_litert("RFFT2D", [x, lengths], constants=[1], output_dtype="complex64")[0]
    pairs = run("Rfft", x, fft_length=length)
    _close(run("FftReal", pairs), wanted.real)
    _close(run("FftImag", pairs), wanted.imag)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("window", "stride"), [(100, 30), (64, 64), (33, 7), (600, 10)])
def test_audio_spectrogram(window: int, stride: int, squared: bool) -> None:
    x = normal(500, 2, seed=2)
    options = {"window_size": window, "stride": stride, "magnitude_squared": squared}
    wanted = run_litert("AudioSpectrogram", [x], options=options, custom=True)[0]
    _close(run("AudioSpectrogram", x, window_size=window, stride=stride, mag_square=squared), wanted)


@pytest.mark.parametrize(("low", "high"), [(20.0, 4000.0), (300.0, 8000.0), (0.0, 1000.0)])
@pytest.mark.parametrize(("bands", "coefficients"), [(40, 13), (10, 10), (1, 1)])
def test_mfcc(low: float, high: float, bands: int, coefficients: int) -> None:
    spectrogram = np.square(normal(2, 4, 65, seed=3))
    rate = np.array([16000], dtype=np.int32)
    options = {
        "upper_frequency_limit": high,
        "lower_frequency_limit": low,
        "filterbank_channel_count": bands,
        "dct_coefficient_count": coefficients,
    }
    wanted = run_litert("Mfcc", [spectrogram, rate], options=options, custom=True)[0]
    got = run(
        "Mfcc",
        spectrogram,
        rate,
        freq_upper_limit=high,
        freq_lower_limit=low,
        filter_bank_channel_num=bands,
        dct_coeff_num=coefficients,
    )
    _close(got, wanted)


SEEDS = [(1, 2), (12345, 678), (7, 0), (0, 9), (2**31 - 1, 2**30 + 5)]


@pytest.mark.parametrize(("seed", "seed2"), SEEDS)
@pytest.mark.parametrize("shape", [(1,), (3, 5), (1000,)])
def test_uniform_real_gives_the_same_bits(shape: tuple[int, ...], seed: int, seed2: int) -> None:
    dims = np.array(shape, dtype=np.int32)
    options = {"table": "RandomOptions", "seed": seed, "seed2": seed2}
    wanted = run_litert("RANDOM_UNIFORM", [dims], constants=[0], options=options)[0]
    np.testing.assert_array_equal(run("UniformReal", dims, seed=seed, seed2=seed2), wanted, strict=True)


@pytest.mark.parametrize(("seed", "seed2"), SEEDS)
@pytest.mark.parametrize("shape", [(1,), (3, 5), (1000,)])
def test_random_standard_normal(shape: tuple[int, ...], seed: int, seed2: int) -> None:
    dims = np.array(shape, dtype=np.int32)
    options = {"table": "RandomOptions", "seed": seed, "seed2": seed2}
    wanted = run_litert("RANDOM_STANDARD_NORMAL", [dims], constants=[0], options=options)[0]
    _close(run("RandomStandardNormal", dims, seed=seed, seed2=seed2), wanted)


@pytest.mark.parametrize("kind", ["SPARSE", "DENSE"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 11, 12, 13, 17, 28, 29, 45, 60, 61, 63, 124, 125, 300])
def test_lsh_projection(width: int, weighted: bool, kind: str) -> None:
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    rng = np.random.default_rng(width)
    seeds, items = normal(4, 5, seed=width), rng.integers(0, 256, size=(6, width)).astype(np.uint8)
    inputs = [seeds, items, normal(6, seed=4)] if weighted else [seeds, items]
    options = {"table": "LSHProjectionOptions", "type": getattr(schema.LSHProjectionType, kind)}
    wanted = run_litert("LSH_PROJECTION", inputs, constants=[0], options=options, output_dtype="int32")[0]
    np.testing.assert_array_equal(run("LshProjection", *inputs, type=kind), wanted, strict=True)


@pytest.mark.parametrize("radius", [0, 2, 20])
def test_lrn(radius: int) -> None:
    x = normal(2, 3, 4, 9, seed=5)
    values = {"radius": radius, "bias": 1.5, "alpha": 0.2, "beta": 0.75}
    options = {"table": "LocalResponseNormalizationOptions", **values}
    wanted = run_litert("LOCAL_RESPONSE_NORMALIZATION", [x], options=options)[0]
    _close(run("LRN", x, depth_radius=radius, bias=1.5, alpha=0.2, beta=0.75), wanted)


def test_l2_normalize() -> None:
    x = normal(2, 3, 4, 9, seed=6)
    x[0, 1, 2] = 0
    wanted = run_litert("L2_NORMALIZATION", [x], options={"table": "L2NormOptions"})[0]
    _close(run("L2NormalizeFusion", x, axis=(-1,)), wanted)
