from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.functions import RELU
from lite_delegate.npu.device.instructions.transposed_convolution import TransposedConvolution
from lite_delegate.npu.device.programs.window import Window
from tests.npu.graphs import small_ints
from tests.npu.loops import transposed_convolution


def spread(size, output, strides=(1, 1), dilations=(1, 1), before=(0, 0)):
    return Window(size, strides, dilations, before, output)


@pytest.mark.parametrize(
    ("window", "group"),
    [
        (spread((3, 2), (6, 6)), 1),
        (spread((3, 2), (9, 9), strides=(2, 2)), 2),
        (spread((3, 3), (8, 9), strides=(2, 2), before=(1, 0)), 4),
        (spread((2, 3), (7, 6), dilations=(3, 1), before=(0, 2)), 1),
        (spread((2, 2), (14, 13), strides=(3, 3), before=(-1, -2)), 1),
        (spread((1, 1), (12, 15), strides=(3, 3), before=(-1, -1)), 2),
        (spread((3, 3), (2, 1), strides=(2, 3), before=(3, 4)), 1),
        (spread((5, 2), (3, 4), strides=(1, 2), dilations=(4, 1), before=(9, 0)), 1),
    ],
    ids=str,
)
@pytest.mark.parametrize("bias", [None, [1, -2, 3, 0]])
def test_each_tap_lands_where_the_loop_puts_it(window, group, bias):
    x, weight = small_ints((2, 4, 4, 5), 1), small_ints((4, *window.size, 4 // group), 2)
    operands = [x.astype(np.float16), weight.astype(np.float16)]
    want = transposed_convolution(x, weight, window.output, window.strides, window.dilations, window.before, group)
    if bias is not None:
        operands.append(np.array(bias, np.float16))
        want = want + np.array(bias)[:, None, None]
    got = TransposedConvolution(window, group).run(operands)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(TransposedConvolution(window, group, RELU).run(operands), np.maximum(want, 0))


def test_work_counts_every_tap_of_every_element():
    instruction = TransposedConvolution(spread((3, 2), (6, 6)), 2)
    assert instruction.work([(2, 4, 4, 5), (4, 3, 2, 3)], (2, 6, 6, 6)).macs == 2 * 4 * 4 * 5 * 3 * 2 * 3
    assert instruction.reordered((0, 2, 3, 1)) is None
