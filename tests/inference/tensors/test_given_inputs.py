"""Inputs as callers give them: what is read as it is, what is converted, and what each door rejects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, InputError, Model, Tensor
from lite_delegate.inference.tensors.given_inputs import arrays_of
from lite_delegate.inference.tensors.port import Port, ports_of
from lite_delegate.ir import Graph, Node, Value, make_primitive
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)
WANT = X + 1


def built() -> Model:
    """x of 2 by 3 -> abs -> y."""
    model = Model()
    model.build_from_graph(chain(1), Context())
    return model


def port() -> tuple[Port, ...]:
    return ports_of([Tensor.describe("x", DataType.FLOAT32, (2,))], is_input=True)


def test_an_input_that_obviously_fits_is_read_as_it_is() -> None:
    array = np.ones(2, np.float32)
    for given in (array, Tensor.describe("x", DataType.FLOAT32, (2,), data=array), Tensor(array, shared_memory=True)):
        assert arrays_of([given], port())[0] is array
        assert arrays_of({"x": given}, port())[0] is array
    np.testing.assert_array_equal(arrays_of([Tensor.describe("x", DataType.FLOAT32, (2,))], port())[0], 0 * array)


def test_an_input_that_does_not_fit_is_rejected_by_name() -> None:
    named_otherwise = Tensor.describe("y", DataType.FLOAT32, (2,), data=np.ones(2, np.float32))
    for wrong in (named_otherwise, np.ones(2, np.int64), np.ones(3, np.float32), [1.0, 2.0, 3.0], ["a", "b"]):
        with pytest.raises(InputError, match="Input 0 'x'"):
            arrays_of([wrong], port())


CONVERTED: dict[str, Any] = {
    "float64": X.astype(np.float64),
    "float16": X.astype(np.float16),
    "int8": X.astype(np.int8),
    "uint16": X.astype(np.uint16),
    "bool": X > 2,
    "nested lists": X.tolist(),
    "not contiguous": np.asfortranarray(X),
    "of the other byte order": X.astype(">f4"),
}


@pytest.mark.parametrize("how", CONVERTED)
def test_both_doors_take_numbers_that_the_input_holds_without_loss(how: str) -> None:
    given, model = CONVERTED[how], built()
    want = np.array(given, np.float32) + 1
    for inputs in ([given], {"x": given}):
        np.testing.assert_array_equal(model.predict(inputs)[0].get_data_to_numpy(), want)
        np.testing.assert_array_equal(model.compiled(inputs)[0], want)
    if isinstance(given, np.ndarray):
        np.testing.assert_array_equal(model.predict(given)[0].get_data_to_numpy(), want)
        np.testing.assert_array_equal(model.compiled(given)[0], want)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.complex64])
def test_no_door_takes_numbers_that_would_be_rounded(dtype: type[np.generic]) -> None:
    model = built()
    for predict in (model.predict, model.compiled):
        with pytest.raises(InputError, match="Input 0 'x': expected FLOAT32, got"):
            predict([X.astype(dtype)])


def test_a_tensor_states_its_type_which_a_model_takes_at_its_word_and_a_compiled_model_converts() -> None:
    model, given = built(), Tensor(X.astype(np.float16))
    np.testing.assert_array_equal(model.compiled([given])[0], WANT)
    with pytest.raises(InputError, match="Input 0 'x': expected a Tensor of FLOAT32, got FLOAT16"):
        model.predict([given])


def test_a_missing_input_is_named_by_both_doors() -> None:
    model = built()
    for predict in (model.predict, model.compiled):
        with pytest.raises(InputError, match="Nothing was given for the inputs 0 'x'"):
            predict({})
        with pytest.raises(InputError, match="There is no input 'z'"):
            predict({"x": X, "z": X})
        nothing: Any = object()
        with pytest.raises(TypeError, match="inputs must be list, dict, Tensor or array, but got object"):
            predict(nothing)


def test_bytes_are_not_taken_for_strings_by_either_door() -> None:
    x = Value("s", DataType.STRING, (-1,))
    node = Node("n", make_primitive("Custom", type="Count"), [x], [Value("y", DataType.INT32, (1,))])
    context, model = Context(), Model()
    context.register_custom("Count", lambda given, attributes: np.zeros(1, np.int32))
    model.build_from_graph(Graph("main", [x], list(node.outputs), [node]), context)
    for predict in (model.predict, model.compiled):
        with pytest.raises(InputError, match="expected STRING, got uint8"):
            predict([np.zeros(5, np.uint8)])
