"""Quantization parameters of many channels: read all at once, with the result and the errors of reading one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lite_delegate.errors import ModelFormatError
from lite_delegate.flatbuffer.decoder import Tables
from lite_delegate.formats.ms import read_ms_buffer
from lite_delegate.formats.ms.writer import ms_bytes
from lite_delegate.ir import DataType, Graph, Node, QuantParam, Value, make_primitive

CHANNELS = 40


def some(channel: int) -> QuantParam:
    """Parameters of which some fields have the format's default, so that tables have several vtables."""
    return QuantParam(
        scale=1.0 if channel % 7 == 0 else 0.5 + channel,
        zero_point=channel % 3,
        min=-float(channel) if channel % 5 == 0 else 0.0,
        narrow_range=channel % 2 == 0,
        inited=channel % 4 != 0,
        var_corr=1.25,
        round_type=2 if channel % 11 == 0 else 1,
    )


def quantized(params: Callable[[int], QuantParam] = some, channels: int = CHANNELS) -> bytes:
    weight = Value("w", DataType.INT8, (channels, 1, 1, 2), data=np.zeros((channels, 1, 1, 2), np.int8))
    weight.quant_params = tuple(map(params, range(channels)))
    x, y = Value("x", DataType.INT8, (1, 2, 2, 2)), Value("y", DataType.INT8, (1, 2, 2, channels))
    node = Node("conv", make_primitive("Conv2DFusion", group=1), [x, weight], [y])
    return ms_bytes(Graph("g", [x], [y], [node]))


CONTENT = quantized()


def read(data: bytes) -> object:
    """The parameters of all values, or the text of the error."""
    try:
        graph = read_ms_buffer(data)
    except ModelFormatError as e:
        return str(e)
    return [(value.name, value.quant_params) for value in graph.values()]


def one_by_one(data: bytes) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tables, "columns", lambda self: None)
        return read(data)


def test_parameters_are_those_that_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []
    columns = Tables.columns

    def watched(self: Tables) -> object:
        result = columns(self)
        found.append(result is not None)
        return result

    monkeypatch.setattr(Tables, "columns", watched)
    values = dict(read(CONTENT))  # type: ignore[call-overload]
    assert values["w"] == tuple(map(some, range(CHANNELS)))
    assert found == [True]
    assert all(type(p.zero_point) is int and type(p.inited) is bool and type(p.scale) is float for p in values["w"])


def test_few_parameters_are_read_one_by_one() -> None:
    assert dict(read(quantized(channels=2)))["w"] == (some(0), some(1))  # type: ignore[call-overload]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_damage_has_the_same_end(data: st.DataObject) -> None:
    damaged = bytearray(CONTENT)
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(CONTENT) - 1))
        damaged[position] = data.draw(st.sampled_from([0, 1, 4, 127, 128, 255, damaged[position] ^ 1]))
    assert repr(read(bytes(damaged))) == repr(one_by_one(bytes(damaged)))  # NaN equals nothing


@given(st.integers(8, len(CONTENT) - 1))
@example(len(CONTENT) - 4)
def test_a_cut_file_has_the_same_end(size: int) -> None:
    assert read(CONTENT[:size]) == one_by_one(CONTENT[:size])
