"""Delegates with faults planted in nodes of given names; all else is right, computed by the nodes' own kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from lite_delegate import (
    Boundary,
    Context,
    Delegate,
    DelegateExecuteError,
    DelegateModel,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.ir import Graph

Fault = Callable[[np.ndarray], np.ndarray]


def scaled(y: np.ndarray) -> np.ndarray:
    """Off by five per cent."""
    return np.asarray(y * y.dtype.type(1.05))


class PlantedKernel(Kernel):
    """Runs nodes one after another; what nodes of the given names give goes through their fault."""

    def __init__(self, name: str, boundary: Boundary, nodes: Sequence[Kernel], faults: dict[str, Fault]) -> None:
        super().__init__(name, "Planted", boundary.inputs, boundary.outputs)
        self.nodes = tuple(nodes)
        self.faults = faults

    def execute(self) -> None:
        for node in self.nodes:
            node.execute()
            if node.name in self.faults:
                for tensor in node.outputs:
                    tensor.data = self.faults[node.name](tensor.data)


class Planted(Delegate):
    """Claims all nodes, or those of the given names.

    Attributes:
        built: names of the nodes of every graph kernel that was made.
    """

    name = "planted"

    def __init__(self, faults: dict[str, Fault] | None = None, names: Collection[str] | None = None) -> None:
        self.faults = faults or {}
        self.names = names
        self.built: list[tuple[str, ...]] = []

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        if self.names is None or kernel.name in self.names:
            return Supported()
        return Rejected(RejectCode.OPERATOR, "not in the list")

    def faults_of(self, run: Sequence[Kernel]) -> dict[str, Fault]:
        return self.faults

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.built.append(tuple(k.name for k in run))
        number = sum(k.type == "Planted" for k in model)
        return PlantedKernel(f"Planted{number}", model.boundary_of(run), run, self.faults_of(run))


class OnlyTogether(Planted):
    """The fault of ``last`` shows only where ``first`` is part of the same graph kernel."""

    def __init__(self, first: str, last: str, fault: Fault = scaled) -> None:
        super().__init__({last: fault})
        self.pair = {first, last}

    def faults_of(self, run: Sequence[Kernel]) -> dict[str, Fault]:
        return self.faults if self.pair <= {k.name for k in run} else {}


class Raising(Planted):
    """Its graph kernels raise where they have a node of the given name."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        def fail(y: np.ndarray) -> np.ndarray:
            raise DelegateExecuteError("the board is hot.")

        self.faults = dict.fromkeys(self.faults, fail)
        return super().create_graph_kernel(run, model)


class Walking(Planted):
    """The original's way: overrides ``build`` and states no claims."""

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        return None

    def build(self, model: DelegateModel) -> None:
        model.replace(0, len(model), self.create_graph_kernel(model[:], model))


def built(graph: Graph, delegate: Delegate | None, on_delegate_error: str = "fallback") -> Model:
    """A model that can be compared."""
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.on_delegate_error = on_delegate_error
    model.build_from_graph(graph, context)
    return model
