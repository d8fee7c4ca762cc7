"""Rfft, FftReal, FftImag, AudioSpectrogram, Mfcc: rejections and unknown dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError
from lite_delegate_kernels.custom.op_dft import KERNEL as DFT

from tests.kernels.single_node import infer, normal, run, spec, unranked

U = unranked()
RATE = spec(dtype="int32")
SOUND = {"window_size": 16, "stride": 8}
MEL: dict[str, Any] = {
    "freq_upper_limit": 4000.0,
    "freq_lower_limit": 20.0,
    "filter_bank_channel_num": 10,
    "dct_coeff_num": 6,
}


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "expected"),
    [
        ("Rfft", (spec(-1, 3, -1),), {"fft_length": 9}, (-1, 3, 5, 2)),
        ("Rfft", (U,), {"fft_length": 9}, None),
        ("FftReal", (spec(-1, 5, 2),), {}, (-1, 5)),
        ("FftImag", (spec(3, -1),), {}, (3,)),
        ("FftReal", (U,), {}, None),
        ("AudioSpectrogram", (spec(-1, 2),), SOUND, (2, -1, 9)),
        ("AudioSpectrogram", (spec(100, -1),), SOUND, (-1, 11, 9)),
        ("AudioSpectrogram", (U,), {"window_size": 17, "stride": 1}, (-1, -1, 17)),
        ("Mfcc", (spec(2, -1, 33), unranked("int32")), MEL, (2, -1, 6)),
        ("Mfcc", (U, RATE), MEL, (-1, -1, 6)),
    ],
)
def test_what_is_known_of_the_shape(
    op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], expected: tuple[int, ...] | None
) -> None:
    assert infer(op, *specs, **attributes).shape == expected


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "message"),
    [
        ("Rfft", (spec(3, 4),), {}, "fft_length must be at least 1, got 0"),
        ("Rfft", (spec(),), {"fft_length": 4}, "input 0 must have at least one dim, got rank 0"),
        ("Rfft", (spec(3, dtype="float16"),), {"fft_length": 4}, "must be one of float32, float64, got float16"),
        ("FftReal", (spec(2, 3),), {}, r"must have a last dim of 2, real and imaginary part, got shape \(2, 3\)"),
        ("FftImag", (spec(),), {}, r"must have a last dim of 2, real and imaginary part, got shape \(\)"),
        ("FftImag", (spec(2, dtype="int32"),), {}, "must be one of float32, float16, float64, got int32"),
        ("AudioSpectrogram", (spec(8),), SOUND, r"input 0 must have shape \(\?, \?\), got \(8,\)"),
        ("AudioSpectrogram", (U,), {"window_size": 1, "stride": 1}, "window_size must be at least 2, got 1"),
        ("AudioSpectrogram", (U,), {"window_size": 2}, "stride must be at least 1, got 0"),
        ("AudioSpectrogram", (unranked("int16"),), SOUND, "must be one of float32, float16, float64, got int16"),
        ("Mfcc", (spec(3, 4), RATE), MEL, r"input 0 must have shape \(\?, \?, \?\), got \(3, 4\)"),
        ("Mfcc", (spec(1, 3, 1), RATE), MEL, "input 0 must have at least 2 bins, got 1"),
        ("Mfcc", (U, spec(2, dtype="int32")), MEL, r"sample_rate must hold one value, got shape \(2,\)"),
        ("Mfcc", (U, spec(dtype="bool")), MEL, "sample_rate must be one of .*, got bool"),
        ("Mfcc", (U, RATE), {**MEL, "dct_coeff_num": 11}, r"dct_coeff_num must be in 1\.\.10, .*, got 11"),
        ("Mfcc", (U, RATE), {**MEL, "dct_coeff_num": 0}, r"dct_coeff_num must be in 1\.\.10, .*, got 0"),
        ("Mfcc", (U, RATE), {**MEL, "freq_lower_limit": 4000.0}, "limits must be rising from 0 on, got 4000.0 to 4000"),
        ("Mfcc", (U, RATE), {**MEL, "freq_lower_limit": -1.0}, "limits must be rising from 0 on, got -1.0 to 4000"),
    ],
)
def test_rejections(op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *specs, **attributes)


def test_mfcc_rejects_an_upper_limit_above_half_the_rate() -> None:
    spectrogram, rate = np.ones((1, 2, 33), dtype=np.float32), np.array(7000, dtype=np.int32)
    assert run("Mfcc", spectrogram, np.array(8000, dtype=np.int32), **MEL).shape == (1, 2, 6)
    with pytest.raises(KernelInputError, match=r"freq_upper_limit 4000\.0 is above half the sample rate 7000"):
        run("Mfcc", spectrogram, rate, **MEL)


def test_nan_stays_in_its_signal() -> None:
    x = normal(3, 8, seed=1)
    x[1, 2] = np.nan
    y = run("Rfft", x, fft_length=8)
    assert np.isnan(y[1, 1:4]).any(axis=1).all()
    assert np.isfinite(y[[0, 2]]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [5, 8, 300])
def test_real_and_imaginary_part_of_the_transform_against_numpy(dtype: str, length: int) -> None:
    x = normal(4, 256, seed=2, dtype=dtype)
    pairs = run("Rfft", x, fft_length=length)
    wanted = np.fft.rfft(x.astype(np.float64), n=length)
    np.testing.assert_allclose(run("FftReal", pairs), wanted.real, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(run("FftImag", pairs), wanted.imag, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("length", [0, -7])
def test_a_transform_has_a_length(length: int) -> None:
    given = ArraySpec(np.dtype(np.int64), (), np.array(length))
    with pytest.raises(KernelInputError, match=f"dft_length must be at least 1, got {length}"):
        DFT.infer(spec(2, 8, 1), given)
