"""What the file says of tensors: shapes, quantization, strings."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import pack_strings

from lite_delegate import ModelFormatError
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import QuantParam
from tests.formats.customs import assert_custom
from tests.formats.tflite.models import G, Op, T, const, fed, floats, int8, ints, model_bytes, ours, out, qout, single

X = floats(1, 2, 3)


def test_tensors_without_dimensions_are_scalars_only_where_that_is_certain() -> None:
    tensors = [T(np.array(2, np.int32)), const(np.int32(3)), out("int32")]
    graph = read_tflite_buffer(model_bytes([G(tensors, [Op("ADD", [0, 1], [2], "AddOptions")], [0], [2])]))
    (node,) = graph.nodes
    assert [v.shape for v in node.inputs if v is not None] == [(), ()]
    assert node.outputs[0].shape is None


def test_a_slice_of_an_unknown_rank() -> None:
    tensors = [X, T(np.array([3, 2], np.int32)), out(), ints(1, 0), ints(2, 1), out()]
    ops = [Op("RESHAPE", [0, 1], [2], "ReshapeOptions"), Op("SLICE", [2, 3, 4], [5])]
    (got,) = ours(model_bytes([G(tensors, ops, [0, 1], [5])]), fed(tensors[:2]))
    np.testing.assert_array_equal(got, X.data.reshape(3, 2)[1:3, :1])


def test_quantization_parameters() -> None:
    content = single("RELU", [int8(1, 2, 3, scale=0.25, zero_point=-7)], [qout(0.5, 3)])
    graph = read_tflite_buffer(content)
    (param,) = graph.inputs[0].quant_params
    assert (param.scale, param.zero_point, param.num_bits, param.inited) == (0.25, -7, 8, True)
    assert graph.outputs[0].quant_params == (QuantParam(0.5, 3, narrow_range=False, inited=True),)


@pytest.mark.parametrize(
    ("points", "message"), [((1, 2), "expected 3 zero points, found 2"), ((1, 2, 2**31), "of 32 bits")]
)
def test_zero_points_that_do_not_fit(points: tuple[int, ...], message: str) -> None:
    weight = T(np.ones((3, 2), np.int8), constant=True, scales=[1.0, 2.0, 3.0], zero_points=points)
    with pytest.raises(ModelFormatError, match=message):
        read_tflite_buffer(single("FULLY_CONNECTED", [floats(1, 1, 2), weight, None], [out()], "FullyConnectedOptions"))


def test_channels_of_another_dimension_are_rejected() -> None:
    weight = const(np.ones((2, 2), np.int8), scales=[1.0, 2.0], axis=1)
    content = single("FULLY_CONNECTED", [int8(1, 1, 2), weight, None], [qout(0.1)], "FullyConnectedOptions")
    assert_custom(read_tflite_buffer(content), "channels of 't1' must be along dimension 0, found 1")


def test_constant_strings() -> None:
    packed = pack_strings([b"one", b"two", b"three"])
    values = T(dtype="object", shape=(3,), constant=True, raw=packed.tobytes())
    keys = [T(np.array([4, 9], np.int32)), ints(1, 4, 6), values]
    got, hits = ours(single("HASHTABLE_LOOKUP", keys, [out("object"), out("uint8")]), fed(keys))
    assert got.tolist() == ["two", ""]
    assert hits.tolist() == [1, 0]


@pytest.mark.parametrize("index", [-2, 3])
def test_tensors_that_are_not_there(index: int) -> None:
    content = model_bytes([G([X, out(), out()], [Op("ADD", [0, index], [1], "AddOptions")], [0], [1])])
    with pytest.raises(ModelFormatError, match=rf"operators\[0\].inputs: expected positions below 3, found {index}"):
        read_tflite_buffer(content)


def test_options_of_another_operator() -> None:
    with pytest.raises(ModelFormatError, match="builtin_options: expected AddOptions, found MulOptions"):
        read_tflite_buffer(single("ADD", [X, X], [out()], "MulOptions"))
