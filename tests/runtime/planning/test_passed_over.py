"""Builds in the original's form, which never replace a kernel alone (``if from != end``): nothing fails unseen."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from lite_delegate import Boundary, Context, Delegate, DelegateModel, DelegateWarning, Kernel, Model, RejectCode
from lite_delegate.ir import Graph
from tests.runtime.graphs import chain

Make = Callable[[Boundary], Kernel]


class Graphs(Kernel):
    """A graph kernel of which nobody needs results."""

    def execute(self) -> None:
        raise AssertionError("it never runs")


class NoRoom(Graphs):
    """Its device is full."""

    def prepare(self) -> None:
        raise RuntimeError("no room on the device")


class Unfinished(Kernel):
    """A class without ``execute``."""


class Original(Delegate):
    """Walks as the original's delegates do: runs of one kernel stay."""

    name = "original"

    def __init__(self, make: Make) -> None:
        self.make = make

    def build(self, model: DelegateModel) -> None:
        start = end = place = 0
        while place != len(model):
            if model.primitive(model[place]) is not None and model[place].name != "n2":
                end = place
            else:
                place = self._replace(model, start, end, place)
                start = end = place + 1
            place += 1
        self._replace(model, start, end, place)

    def _replace(self, model: DelegateModel, start: int, end: int, place: int) -> int:
        if start >= end or end >= len(model):
            return place
        return model.replace(start, end + 1, self.make(model.boundary(start, end + 1)))


def no_room(boundary: Boundary) -> Kernel:
    return NoRoom("g", "g", boundary.inputs, boundary.outputs)


def nothing(boundary: Boundary) -> Kernel:
    return None  # type: ignore[return-value]


def unfinished(boundary: Boundary) -> Kernel:
    return Unfinished("g", "g", boundary.inputs, boundary.outputs)  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("make", "said"),
    [(no_room, "no room on the device"), (nothing, "None"), (unfinished, "abstract")],
)
def test_each_kernel_has_the_reason_and_there_is_one_warning(make: Make, said: str) -> None:
    model, told = built(chain(3), Original(make))
    nodes = model.get_partition().nodes
    assert [(n.name, n.code) for n in nodes] == [
        ("n0", RejectCode.COMPILE_FAILED),
        ("n1", RejectCode.COMPILE_FAILED),
        ("n2", RejectCode.POLICY),
    ]
    assert all(said in n.reason for n in nodes[:2])
    assert len(told) == 1
    assert "2 kernels go back to the CPU" in told[0]
    (note,) = model.get_partition().notes
    assert "2 kernels stay off it" in note


def built(graph: Graph, delegate: Delegate) -> tuple[Model, list[str]]:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.build_from_graph(graph, context)
    return model, [str(each.message) for each in told if issubclass(each.category, DelegateWarning)]
