"""Constants as files have them: copied once, for whoever computes with them."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest

from lite_delegate import DataType, Model, Tensor
from lite_delegate.ir import Graph, Value, constant
from lite_delegate.tensors.tensor import Array
from tests.passes.random_graphs import Builder


def misaligned() -> Array:
    raw = b"\0" + np.array([3, 4], np.float32).tobytes()
    return np.frombuffer(raw, np.float32, offset=1)


def turned() -> Array:
    return np.arange(6, dtype=np.float32).reshape(2, 3).T


def described(array: Array) -> Tensor:
    return Tensor.describe("c", DataType.FLOAT32, array.shape, data=array, is_const=True)


@pytest.mark.parametrize("source", [misaligned(), turned()], ids=["misaligned", "turned"])
def test_what_is_read_is_aligned_and_in_order_and_what_is_held_is_the_files(source: Array) -> None:
    tensor = described(source)
    assert tensor.held is source
    assert tensor.has_data
    assert tensor.data.flags.aligned
    assert tensor.data.flags.c_contiguous
    assert not tensor.data.flags.writeable
    np.testing.assert_array_equal(tensor.data, source.tolist())
    assert tensor.data is tensor.data


def test_tensors_of_one_array_share_its_copy() -> None:
    source = misaligned()
    first = described(source)
    assert described(source).data is first.data


def test_the_copy_goes_with_the_last_who_uses_it() -> None:
    source = misaligned()
    tensors = [described(source), described(source)]
    copy = ref(tensors[0].data)
    del tensors[0]
    assert copy() is not None
    del tensors[0]
    assert copy() is None


def test_a_shape_or_type_that_is_set_drops_it() -> None:
    for name, value in (("shape", [1, 2]), ("dtype", DataType.INT32)):
        tensor = described(misaligned())
        setattr(tensor, name, value)
        assert not tensor.has_data
        assert not tensor.data.any()


def test_a_variable_stays_where_it_is() -> None:
    source = misaligned()
    assert Tensor.describe("v", DataType.FLOAT32, (2,), data=source).data is source


def graph_of(c: Value) -> Graph:
    b = Builder()
    x = b.input("x", (2,))
    return b.graph(b.node("AddFusion", b.node("MulFusion", x, c), c))


def test_models_compute_with_them() -> None:
    model = Model()
    model.build_from_graph(graph_of(constant("c", misaligned())))
    (y,) = model.predict({"x": np.array([1, 2], np.float32)})
    np.testing.assert_array_equal(y.data, [1 * 3 + 3, 2 * 4 + 4])
    (template,) = (plan.template for plan in model.compiled.plan.graphs.values())
    assert all(each.flags.aligned for each in template if isinstance(each, np.ndarray))
