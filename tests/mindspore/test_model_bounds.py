"""Models that are built with bounds for open dimensions."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, DataType, InputError, Model, ModelType, Tensor
from lite_delegate.npu import NPUDelegate
from tests.runtime.graphs import chain


def bounded() -> Model:
    """x [1..16, 3] -> x + 1 + 2, on the NPU."""
    model, context = Model(), Context()
    context.set_delegate(NPUDelegate())
    model.build_from_graph(chain(2, (-1, 3)), context, {"x": [(1, 16), 3]})
    return model


def ones(rows: int) -> Array:
    return np.ones((rows, 3), np.float32)


def test_predictions_take_all_shapes_within() -> None:
    model = bounded()
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[-1, 3], [-1, 3]]
    for rows in (3, 16, 1, 5):
        np.testing.assert_array_equal(model.predict([ones(rows)])[0].data, np.full((rows, 3), 4.0))
        np.testing.assert_array_equal(model.predict({"x": Tensor(ones(rows))})[0].data, np.full((rows, 3), 4.0))
        found = asyncio.run(model.predict_async([ones(rows)]))
        np.testing.assert_array_equal(found[0].data, np.full((rows, 3), 4.0))
    for wrong in (17, 0):
        with pytest.raises(InputError, match=r"Input 0 'x': expected shape \[1\.\.16, 3\]"):
            model.predict([ones(wrong)])


def test_outputs_are_checked_against_what_they_may_be() -> None:
    model = bounded()
    given = Tensor(shape=[5, 3], dtype=DataType.FLOAT32)
    assert model.predict([ones(5)], [given]) == [given]
    np.testing.assert_array_equal(given.data, np.full((5, 3), 4.0))
    with pytest.raises(InputError, match="Output 0"):
        model.predict([ones(5)], [Tensor(shape=[5, 4], dtype=DataType.FLOAT32)])


def test_a_resize_keeps_to_the_bounds_and_ends_them() -> None:
    model = bounded()
    with pytest.raises(InputError, match=r"Input 0 'x': expected shape \[1\.\.16, 3\], got \[20, 3\]"):
        model.resize(model.get_inputs(), [[20, 3]])
    np.testing.assert_array_equal(model.predict([ones(5)])[0].data, np.full((5, 3), 4.0))
    model.resize(model.get_inputs(), [[7, 3]])
    np.testing.assert_array_equal(model.predict([ones(7)])[0].data, np.full((7, 3), 4.0))
    with pytest.raises(InputError):
        model.predict([ones(5)])


def test_other_weights_leave_the_bounds() -> None:
    model = bounded()
    (name, *_) = [value.name for value in model.compiled.graph.values() if value.data is not None]
    weight = Tensor(np.array([11], np.float32))
    weight.name = name
    model.update_weights([[weight]])
    np.testing.assert_array_equal(model.predict([ones(5)])[0].data, np.full((5, 3), 14.0))
    with pytest.raises(InputError, match=r"1\.\.16"):
        model.predict([ones(17)])


def test_exports_have_them() -> None:
    data = bounded().export()
    model, context = Model(), Context()
    context.set_delegate(NPUDelegate())
    model.build_from_buffer(data, ModelType.MINDIR, context)
    np.testing.assert_array_equal(model.predict([ones(5)])[0].data, np.full((5, 3), 4.0))
    with pytest.raises(InputError, match=r"1\.\.16"):
        model.predict([ones(17)])


def test_a_model_without_bounds_is_resized_to_anything() -> None:
    model = Model()
    model.build_from_graph(chain(2, (-1, 3)))
    model.resize(model.get_inputs(), [[20, 3]])
    np.testing.assert_array_equal(model.predict([ones(20)])[0].data, np.full((20, 3), 4.0))
