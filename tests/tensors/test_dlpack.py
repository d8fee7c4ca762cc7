"""Arrays of other libraries are inputs and outputs without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import DataType, InputError, Model, Tensor
from lite_delegate.inference import compile_graph
from lite_delegate.runtime.settings import Settings
from tests.inference.tensors.test_request_tensors import of_inputs
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Foreign:
    """An array of another library: nothing but DLPack tells what it holds."""

    def __init__(self, array: Any, device: tuple[int, int] = (1, 0)) -> None:
        self._array = array
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def test_an_input_is_read_where_it_is() -> None:
    request = compile_graph(chain(2), Settings()).create_infer_request()
    for given in (Foreign(X), [Foreign(X)], {"x": Foreign(X)}):
        np.testing.assert_array_equal(request.infer(given)[0], X + 3)
        assert of_inputs(request) == []


def test_one_in_pieces_is_copied() -> None:
    request = compile_graph(chain(2, (3, 2)), Settings()).create_infer_request()
    np.testing.assert_array_equal(request.infer([Foreign(X.T)])[0], X.T + 3)
    assert [reason for _, _, reason in of_inputs(request)] == ["not contiguous"]


def test_what_does_not_fit_is_said_as_for_arrays() -> None:
    compiled = compile_graph(chain(2), Settings())
    with pytest.raises(InputError, match=r"expected shape \[2, 3\], got \[3, 2\]"):
        compiled([Foreign(np.zeros((3, 2), np.float32))])
    with pytest.raises(InputError, match="expected FLOAT32, got complex64"):
        compiled([Foreign(np.zeros((2, 3), np.complex64))])


def test_memory_of_a_device_is_named() -> None:
    with pytest.raises(InputError, match="the Foreign is in memory of CUDA; copy it to the host first"):
        compile_graph(chain(2), Settings())([Foreign(X, (2, 0))])


def test_what_the_library_refuses_is_said() -> None:
    class Learning(Foreign):
        def __dlpack__(self, **options: Any) -> Any:
            raise RuntimeError("it requires a gradient")

    with pytest.raises(InputError, match="the Learning cannot be exchanged by DLPack: it requires a gradient"):
        compile_graph(chain(2), Settings())([Learning(X)])


def test_what_has_no_memory_is_said() -> None:
    class Meta(Foreign):
        def __dlpack_device__(self) -> tuple[int, int]:
            raise ValueError("no such device")

    with pytest.raises(InputError, match="the Meta cannot be exchanged by DLPack: no such device"):
        compile_graph(chain(2), Settings())([Meta(X)])


def test_a_model_predicts_of_it() -> None:
    model = Model()
    model.build_from_graph(chain(2))
    np.testing.assert_array_equal(model.predict([Tensor.from_dlpack(Foreign(X))])[0].data, X + 3)


def test_a_tensor_shares_its_memory_both_ways() -> None:
    mine = X.copy()
    tensor = Tensor.from_dlpack(Foreign(mine))
    assert (tensor.shape, tensor.dtype) == ([2, 3], DataType.FLOAT32)
    theirs = np.from_dlpack(tensor)
    mine[0, 0] = 77
    assert theirs[0, 0] == tensor.data[0, 0] == 77
    assert np.shares_memory(theirs, mine)


def test_outputs_go_to_other_libraries() -> None:
    request = compile_graph(chain(2), Settings()).create_infer_request()
    request.infer([X])
    theirs = np.from_dlpack(request.get_output_tensor())
    request.infer([X + 1])
    np.testing.assert_array_equal(theirs, X + 4)


def test_strings_are_no_arrays() -> None:
    tensor = Tensor(shape=(2,), dtype=DataType.STRING)
    with pytest.raises(BufferError, match="DLPack has no strings"):
        tensor.__dlpack__()
