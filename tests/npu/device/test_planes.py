"""Windows over blocks of planes: every element of every tap, against direct indexing of the padded input."""

from collections.abc import Iterable

import numpy as np
import pytest

from lite_delegate.npu.device.instructions import planes as module
from lite_delegate.npu.device.instructions.functions import RELU6, UNFUSED
from lite_delegate.npu.device.instructions.planes import finish, over_planes
from lite_delegate.npu.device.programs.window import Window

FILL = -7.0

WINDOWS = [
    Window((3, 3), (1, 1), (1, 1), (1, 1), (6, 5)),
    Window((3, 2), (2, 3), (1, 1), (1, 0), (3, 2)),
    Window((2, 2), (3, 2), (2, 3), (0, 1), (2, 2)),
    Window((2, 2), (1, 1), (1, 1), (3, 9), (4, 12)),
    Window((2, 2), (2, 2), (1, 1), (5, 3), (2, 2)),
    Window((6, 5), (1, 1), (1, 1), (0, 0), (1, 1)),
    Window((1, 1), (4, 3), (1, 1), (0, 0), (2, 2)),
    Window((3, 3), (2, 2), (3, 1), (2, 2), (2, 4)),
]


def element(x: np.ndarray, window: Window, tap: tuple[int, int], place: tuple[int, int]) -> np.ndarray:
    """What one tap of one window sees in each plane of x (N, C, H, W)."""
    at = [
        out * stride - before + k * dilation
        for out, stride, before, k, dilation in zip(
            place, window.strides, window.before, tap, window.dilations, strict=True
        )
    ]
    inside = 0 <= at[0] < x.shape[2] and 0 <= at[1] < x.shape[3]
    return x[:, :, at[0], at[1]] if inside else np.full(x.shape[:2], FILL, np.float32)


@pytest.mark.parametrize("block", [1, 150, 2**16])
@pytest.mark.parametrize("window", WINDOWS)
def test_each_tap_of_each_window_is_the_element_of_the_padded_input(window, block, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", block)
    x = np.arange(2 * 3 * 6 * 5, dtype=np.float32).reshape(2, 3, 6, 5)
    for number, tap in enumerate(np.ndindex(*window.size)):

        def one(block: object, taps: Iterable[np.ndarray], number: int = number) -> np.ndarray:
            return list(taps)[number].copy()

        got = over_planes(x, window, FILL, one)
        assert got.shape == (2, 3, *window.output)
        for place in np.ndindex(*window.output):
            np.testing.assert_array_equal(got[:, :, *place], element(x, window, tap, place))


def test_combine_is_told_which_planes_it_gets(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", 2 * 30)
    window = Window((1, 1), (1, 1), (1, 1), (0, 0), (6, 5))
    numbers = np.arange(6, dtype=np.float32)
    blocks = []

    def combine(block, taps):
        blocks.append((block.start, block.stop))
        return next(taps) + numbers[block, None]

    got = over_planes(np.zeros((2, 3, 6, 5), np.float32), window, 0.0, combine)
    assert blocks == [(0, 2), (2, 4), (4, 6)]
    np.testing.assert_array_equal(got[..., 0, 0], numbers.reshape(2, 3))


@pytest.mark.parametrize("block", [1, 7, 2**16])
def test_finish_adds_per_plane_and_then_applies_the_fused_function(block, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", block)
    sums = np.array([[-5, 1, 3], [1, 2, 4], [0, 7, -1]], np.float32)
    plain = sums.copy()
    finish(plain, None, UNFUSED)
    np.testing.assert_array_equal(plain, sums)
    finish(sums, np.array([1, 3, 0], np.float32), RELU6)
    np.testing.assert_array_equal(sums, [[0, 2, 4], [4, 5, 6], [0, 6, 0]])
