"""RuntimeGraph: what a runtime has compiled with other shapes than the plan's is no graph kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from lite_delegate import DataType, DelegateBuildError, Tensor
from lite_delegate.backends.graph import RunFunction, RuntimeGraph
from lite_delegate.backends.openvino.models.compiled import CompileSettings
from lite_delegate.delegate import LayerTime
from lite_delegate.tensors.tensor import Array


class Compiled:
    """What a runtime has made."""

    settings = CompileSettings()

    def __init__(self, *shapes: Sequence[object]) -> None:
        self.shapes = shapes

    def load(self) -> None:
        return None

    def unload(self) -> None:
        return None

    def made_shapes(self, count: int) -> Iterable[tuple[int, Sequence[object]]]:
        return list(enumerate(self.shapes))[:count]


class Graph(RuntimeGraph[Compiled]):
    runtime = kind = "Runtime"

    def bound(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        return list

    def layers(self, inputs: Sequence[Array]) -> Sequence[LayerTime]:
        return ()

    def unbind(self) -> None:
        return None


def graph(*shapes: Sequence[object]) -> Graph:
    outputs = [Tensor.describe(name, DataType.FLOAT32, (2, 3)) for name in "yz"]
    return Graph("graph", [], outputs, Compiled(*shapes))


@pytest.mark.parametrize("shapes", [[(2, 3), (2, 3)], [(2, None), ("batch", 3)], []])
def test_shapes_that_may_be_the_plans_are_taken(shapes: list[Sequence[object]]) -> None:
    graph(*shapes).prepare()


@pytest.mark.parametrize("shape", [(3, 2), (2, 4), (None, 4), (2, 3, 1), (6,), ()])
def test_other_shapes_are_an_error_that_says_both(shape: Sequence[object]) -> None:
    with pytest.raises(DelegateBuildError, match=r"wrongly: output 'z' has shape .* instead of \(2, 3\)"):
        graph((2, 3), shape).prepare()
