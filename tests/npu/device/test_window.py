"""Windows that lie on padding only are told from numbers, without going through all windows."""

from __future__ import annotations

import itertools

from lite_delegate.npu.device.programs.window import Window


def test_misses_is_what_counting_the_taps_of_all_windows_says() -> None:
    parameters = itertools.product((1, 2, 3), (1, 2, 3), (1, 2, 4), (0, 1, 2, 3, 5), (1, 2, 3, 5), (1, 2, 3, 6))
    for size, stride, dilation, before, output, length in parameters:
        window = Window((1, size), (1, stride), (1, dilation), (0, before), (1, output))
        taps = [[i * stride - before + t * dilation for t in range(size)] for i in range(output)]
        expected = any(not any(0 <= place < length for place in places) for places in taps)
        assert window.misses(1, length) == expected, (window, length)


def test_a_huge_input_takes_no_time() -> None:
    assert not Window((2, 2), (1, 1), (1, 1), (1, 0), (2**40, 2**40)).misses(2**40, 2**40 + 1)
    assert Window((2, 2), (1, 1), (1, 1), (0, 0), (2**40, 2**40)).misses(2**40, 2**40 - 1)
