"""InferredModel: the graph of a plan with all shapes known, which can be bound to tensors several times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from lite_delegate_fast import fast_kernels
from lite_delegate_kernels import Array, ArraySpec
from lite_delegate_kernels.built_in import built_in_kernels

from ....basics.counted import counted
from ....errors import GraphError
from ....ir import Graph, Value
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph, Names, bind_graph
from ...binding.host import CustomOperator, find_variables, initial_contents, variable_spec
from ...binding.inference import Operators
from ...binding.model_inference import MAIN, ModelInference
from ...binding.specs import Specs, describe
from ...settings import Settings
from .rereading import read_for


class InferredModel:
    """A model whose shapes are known.

    Args:
        graph: a verified graph; where all shapes are known, a rereadable graph is read again (``rereading``).
        input_shapes: shapes of inputs that differ from what the graph declares.
        settings: the user's kernels of Custom nodes.

    Raises:
        ShapeError: shapes do not fit an operator.
        GraphError: the control flow breaks a rule, see ``ModelInference.run``.
    """

    def __init__(self, graph: Graph, input_shapes: Mapping[Value, tuple[int, ...]], settings: Settings) -> None:
        self._operators = Operators(
            built_in_kernels(),
            settings.customs,
            None if settings.reference_kernels else fast_kernels(),
            settings.budget,
        )
        graph, input_shapes = read_for(graph, input_shapes)
        self._input_shapes, self._settings = input_shapes, settings
        self._inference = ModelInference(graph, self._operators)
        self._specs = self._inference.run(input_shapes)
        self._variables = find_variables(graph)
        _check_outputs(graph, self._specs[MAIN])
        self._graph = self._prepared(graph) if settings.folds else graph
        if self._graph is not graph:
            self._inference = ModelInference(self._graph, self._operators)
            self._specs = self._inference.run(input_shapes)

    def _prepared(self, graph: Graph) -> Graph:
        from .preparing import prepare  # graphs out of files of compiled models are

        return prepare(graph, self._specs, self._operators)

    def of(self, graph: Graph, customs: Mapping[str, CustomOperator] = MappingProxyType({})) -> InferredModel:
        """The inferred model of another graph with the same inputs, whose nodes are not folded.

        Args:
            graph: the other graph.
            customs: operators of Custom nodes that only the other graph has.
        """
        settings = replace(self._settings, folds=False, customs={**self._settings.customs, **customs})
        return InferredModel(graph, self._input_shapes, settings)

    @property
    def specs(self) -> Mapping[int, Specs]:
        """The specs of the values of each graph that is called, by the graph's number."""
        return self._specs

    @property
    def graph(self) -> Graph:
        """The graph of the plan, see ``prepare``."""
        return self._graph

    @property
    def customs(self) -> Mapping[str, CustomOperator]:
        """The operators of the graph's Custom nodes, by type."""
        return self._settings.customs

    @property
    def state(self) -> tuple[Array, ...]:
        """The contents of the variables at first."""
        return tuple(initial_contents(v) for v in self._variables)

    @property
    def state_names(self) -> tuple[str, ...]:
        """The names of the variables, each once."""
        names = Names()
        return tuple(names.unique(v.name or "variable") for v in self._variables)

    @property
    def state_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the variables, -1 where they may grow."""
        return tuple(variable_spec(v).shape or () for v in self._variables)

    @property
    def notes(self) -> list[str]:
        """Notes for the user on the whole model."""
        return [
            f"Subgraph '{each.name}' is never called; its {counted(len(each.nodes), 'node is', 'nodes are')} left out."
            for index, each in enumerate(self._graph.all_graphs())
            if index not in self._specs and each.nodes
        ]

    def bind(self, given: Mapping[int, Mapping[Value, Tensor]] = MappingProxyType({})) -> list[BoundGraph]:
        """The graphs that are called bound to tensors, the main graph first.

        Args:
            given: tensors that values of the graph of that number have already, in the shapes that are inferred.
        """
        names, labels = Names(), Names()
        numbers = {value: i for i, value in enumerate(self._variables)}
        bound = []
        for index, known in self._specs.items():
            graph = self._graph.subgraph(index)
            label = "" if index == MAIN else labels.unique(graph.name or f"graph{index}")
            order, mine = self._inference.order(index), given.get(index, {})
            bound.append(bind_graph(graph, index, label, order, known, self._operators, numbers, names, mine))
        return bound


def _check_outputs(graph: Graph, specs: Specs) -> None:
    for value in graph.outputs:
        spec = specs.get(value)
        if spec is not None and not isinstance(spec, ArraySpec):
            raise GraphError(f"Output '{value.name}' of the model must be a tensor, found {describe(spec)}.")
