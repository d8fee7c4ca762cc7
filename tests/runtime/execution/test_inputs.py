"""Inputs of a prediction: what fits at a glance, and what is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import DataType, InputError, Tensor
from lite_delegate.runtime.execution.inputs import arrays_of


def test_what_is_seen_at_a_glance_to_fit_is_read_as_it_is_and_the_rest_is_looked_at() -> None:
    want = Tensor.describe("x", DataType.FLOAT32, (2,))
    array = np.ones(2, np.float32)
    for given in (array, Tensor.describe("x", DataType.FLOAT32, (2,), data=array), Tensor(array, shared_memory=True)):
        assert arrays_of([given], [want])[0] is array
        assert arrays_of({"x": given}, [want])[0] is array
    named_otherwise = Tensor.describe("y", DataType.FLOAT32, (2,), data=array)
    for wrong in (named_otherwise, array.astype(np.float64), np.ones(3, np.float32)):
        with pytest.raises(InputError, match="Input 0 'x'"):
            arrays_of([wrong], [want])
    np.testing.assert_array_equal(arrays_of([Tensor.describe("x", DataType.FLOAT32, (2,))], [want])[0], 0 * array)
