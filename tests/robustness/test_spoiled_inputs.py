"""A device that writes to its inputs and then fails does not spoil what the CPU computes in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Context, DelegateModel, DelegateWarning, Kernel, Model
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain


class Spoiling(GroupKernel):
    """Zeroes what it is given, and fails."""

    def execute(self) -> None:
        for tensor in self.inputs:
            if not tensor.is_const:
                tensor.data[...] = 0
        raise RuntimeError("the device is gone")

    def fork(self, inputs: object, outputs: object) -> None:
        return None


class SpoilingDelegate(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return Spoiling("spoiling", model.boundary_of(run), run)


@pytest.mark.parametrize("claimed", [["n0", "n1", "n2"], ["n1"]])
def test_the_fallback_reads_what_was_there(claimed: list[str]) -> None:
    context, model = Context(), Model()
    context.set_delegate(SpoilingDelegate(claimed))
    context.on_delegate_error = "fallback"
    model.build_from_graph(chain(3), context)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with pytest.warns(DelegateWarning, match="failed on the device"):
        (y,) = model.predict([x])
    np.testing.assert_array_equal(y.data, np.arange(6, dtype=np.float32).reshape(2, 3) + 6)
    np.testing.assert_array_equal(x, np.arange(6, dtype=np.float32).reshape(2, 3))
