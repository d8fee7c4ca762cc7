import numpy as np
import pytest

from lite_delegate.npu.device.instructions import convolution as module
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, RELU6, UNFUSED
from lite_delegate.npu.device.programs.instruction import narrow
from lite_delegate.npu.device.programs.window import Window
from tests.npu import loops
from tests.npu.graphs import half

WINDOWS = {
    "3x3": Window((3, 3), (1, 1), (1, 1), (0, 0), (5, 4)),
    "pointwise": Window((1, 1), (1, 1), (1, 1), (0, 0), (7, 6)),
    "pointwise_strided": Window((1, 1), (2, 3), (1, 1), (0, 0), (4, 2)),
    "padded": Window((3, 3), (1, 1), (1, 1), (1, 1), (7, 6)),
    "padded_below_only": Window((2, 2), (1, 1), (1, 1), (0, 0), (7, 6)),
    "asymmetric": Window((3, 2), (2, 1), (1, 1), (2, 0), (4, 5)),
    "stride_above_size": Window((2, 2), (3, 4), (1, 1), (0, 0), (2, 2)),
    "dilated": Window((3, 2), (1, 1), (2, 3), (1, 2), (5, 5)),
    "one_window": Window((7, 6), (1, 1), (1, 1), (0, 0), (1, 1)),
    "padding_beyond_input": Window((2, 2), (1, 1), (1, 1), (3, 9), (4, 12)),
}


def assert_rounded_once(got: np.ndarray, want: np.ndarray, sizes: np.ndarray, terms: int) -> None:
    """One float16 rounding, and float32 sums of ``terms`` products whose sizes add up to ``sizes``."""
    bound = 2.0**-11 * np.abs(want) + 2.0**-25 + 1.01 * terms * 2.0**-24 * sizes
    assert (np.abs(narrow(got).astype(np.float64) - want) <= bound).all()


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize(("channels", "channels_out", "group"), [(4, 6, 1), (4, 6, 2), (3, 6, 3), (1, 1, 1), (4, 4, 4)])
def test_convolution_is_the_sum_over_taps_and_channels(name, channels, channels_out, group):
    window = WINDOWS[name]
    x, weight = half((2, channels, 7, 6), 0), half((channels_out, *window.size, channels // group), 1)
    around = (window.output, window.strides, window.dilations, window.before, group)
    got = Convolution(window, group).run([x, weight])
    want, sizes = loops.convolution(x, weight, *around), loops.convolution(np.abs(x), np.abs(weight), *around)
    assert_rounded_once(got, want, sizes, weight[0].size)


@pytest.mark.parametrize("name", WINDOWS)
def test_depthwise_convolution_filters_each_channel(name):
    window = WINDOWS[name]
    x, weight = half((2, 5, 7, 6), 2), half((5, *window.size, 1), 3)
    around = (window.output, window.strides, window.dilations, window.before, 5)
    got = DepthwiseConvolution(window).run([x, weight])
    want, sizes = loops.convolution(x, weight, *around), loops.convolution(np.abs(x), np.abs(weight), *around)
    assert_rounded_once(got, want, sizes, weight[0].size)


@pytest.mark.parametrize("kind", [Convolution, DepthwiseConvolution])
@pytest.mark.parametrize(("fused", "low", "high"), [(UNFUSED, None, None), (RELU, 0, None), (RELU6, 0, 6)])
def test_bias_comes_before_the_activation(kind, fused, low, high):
    window = WINDOWS["pointwise"]
    x, bias = half((1, 1, 7, 6), 4), np.array([4.0], np.float16)
    weight = np.array([[[[3.0]]]], np.float16)
    got = kind(window, fused=fused).run([x, weight, bias])
    want = x.astype(np.float64) * 3.0 + 4.0
    if low is not None:
        want = np.clip(want, low, high)
    assert_rounded_once(got, want, np.abs(want) + 8.0, 2)
    assert want.min() < 0 or low == 0
    assert want.max() > 6 or high == 6


@pytest.mark.parametrize("kind", [Convolution, DepthwiseConvolution])
def test_each_image_of_a_batch_gets_the_bias_of_its_channels(kind):
    x, weight = half((3, 2, 7, 6), 7), half((2, 1, 1, 1), 8)
    bias = np.array([100.0, -50.0], np.float16)
    window = WINDOWS["pointwise"]
    instruction = Convolution(window, group=2) if kind is Convolution else DepthwiseConvolution(window)
    want = x.astype(np.float64) * weight.reshape(2, 1, 1).astype(np.float64) + bias[:, None, None]
    np.testing.assert_allclose(instruction.run([x, weight, bias]), want, rtol=1e-5)


@pytest.mark.parametrize("limit", ["COLUMN_BYTES", "BLOCK_MACS"])
def test_some_rows_are_computed_at_a_time_without_changing_the_result(monkeypatch, limit):
    """And a run may be cancelled between two of them."""
    looks = []
    monkeypatch.setattr(module, "cancel_point", lambda: looks.append(1))
    window = WINDOWS["dilated"]
    x, weight = half((2, 4, 7, 6), 5), half((6, 3, 2, 2), 6)
    whole = Convolution(window, 2).run([x, weight])
    assert len(looks) == 1
    monkeypatch.setattr(module, limit, 1)
    np.testing.assert_allclose(Convolution(window, 2).run([x, weight]), whole, rtol=1e-5, atol=1e-6)
    assert len(looks) == 1 + window.output[0]


def test_sums_keep_what_float16_sums_would_lose():
    window = Window((1, 1), (1, 1), (1, 1), (0, 0), (1, 1))
    x = np.full((1, 4096, 1, 1), 1.0, np.float16)
    weight = np.full((1, 1, 1, 4096), 1.0, np.float16)
    assert narrow(Convolution(window).run([x, weight])).item() == 4096.0


def test_what_exceeds_float16_becomes_infinite():
    window = Window((1, 1), (1, 1), (1, 1), (0, 0), (1, 1))
    x = np.full((1, 2, 1, 1), 40000.0, np.float16)
    assert narrow(Convolution(window).run([x, np.ones((1, 1, 1, 2), np.float16)])).item() == np.inf
    assert narrow(Convolution(window).run([x, np.array([[[[1, -1]]]], np.float16)])).item() == 0.0
