"""What results are held to is the type of the graph kernel, where it knows one, before that of its delegate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Boundary, DataType, DelegateModel, Kernel
from lite_delegate.compare import compare
from tests.compare.planted import Planted, PlantedKernel, built
from tests.runtime.graphs import chain

X = {"x": np.linspace(0.3, 3, 6, dtype=np.float32).reshape(2, 3)}


def to_half(y: np.ndarray) -> np.ndarray:
    """Rounded to float16."""
    return y.astype(np.float16).astype(np.float32)


class HalfKernel(PlantedKernel):
    """Stores what it gives in float16, and says so."""

    @property
    def storage_dtype(self) -> DataType:
        return DataType.FLOAT16


class Half(Planted):
    """Its delegate says nothing of it; the kernel does, where ``says``."""

    def __init__(self, *, says: bool) -> None:
        super().__init__({"n1": to_half})
        self.says = says

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary: Boundary = model.boundary_of(run)
        made = HalfKernel if self.says else PlantedKernel
        return made("Half0", boundary, run, self.faults)


@pytest.mark.parametrize("says", [True, False])
def test_a_graph_kernel_says_what_its_results_are_as_exact_as(says: bool) -> None:
    assert compare(built(chain(3), Half(says=says)), X).passed is says
