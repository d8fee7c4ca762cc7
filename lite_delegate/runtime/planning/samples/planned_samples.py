"""PlannedSamples: the values of a plan's tensors for representative inputs, by the reference kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from lite_delegate_kernels import Array, ArraySpec

from ....errors import InputError
from ....ir import DataType, Graph, Node, Value, custom_primitive
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host import CustomOperator
from ...execution.fallback import Fallbacks
from ...execution.plan import ExecutionPlan
from ...execution.run import Run
from ..shapes.inferring import InferredModel
from .sample_file import SampleFile

PlanAlone = Callable[[Graph, Mapping[str, CustomOperator], Mapping[Value, tuple[int, ...]]], ExecutionPlan]
"""Plans a graph for the CPU: with these operators of Custom nodes, and these shapes of inputs."""
RANGE = "Range@samples"
"""The type of nodes that compute the range of a value: no operator of a file has the name."""
EMPTY = np.inf, -np.inf
"""The range of no number."""


class PlannedSamples:
    """The values of a plan's tensors, see ``delegate.Samples``.

    Args:
        file: the inputs.
        inferred: the model of the plan.
        main: its main graph, bound to the tensors that delegates see.
        plan_alone: plans graphs for the CPU.
    """

    def __init__(self, file: SampleFile, inferred: InferredModel, main: BoundGraph, plan_alone: PlanAlone) -> None:
        self._file, self._inferred, self._plan_alone = file, inferred, plan_alone
        graph, specs = inferred.graph, inferred.specs[0]
        made = {*graph.inputs, *(value for node in graph.nodes for value in node.outputs)}
        self._values = {
            tensor: value
            for value, tensor in main.tensors.items()
            if tensor not in main.variables
            and tensor.dtype not in (DataType.STRING, DataType.TENSOR_LIST)
            and (value.is_constant or (value in made and isinstance(specs.get(value), ArraySpec)))
        }

    @property
    def count(self) -> int:
        """The number of samples."""
        return self._file.count

    def has(self, tensor: Tensor) -> bool:
        """Whether the values of a tensor are known."""
        return tensor in self._values

    def arrays(self, tensors: Sequence[Tensor]) -> Iterator[tuple[Array, ...]]:
        """The values of tensors, sample by sample."""
        unknown = next((tensor for tensor in tensors if tensor not in self._values), None)
        if unknown is not None:
            raise InputError(
                f"Tensor '{unknown.name}' has no samples: it is a state, holds no numbers, or is inside a loop or a "
                "choice."
            )
        return self._arrays(tensors)

    def _arrays(self, tensors: Sequence[Tensor]) -> Iterator[tuple[Array, ...]]:
        graph = self._inferred.graph
        values = [self._values[tensor] for tensor in tensors if not tensor.is_const]
        wanted = [value for value in dict.fromkeys(values) if value not in graph.inputs]
        runs = self._runs(wanted, graph.nodes) if wanted else ([] for _ in range(self.count))
        for number, results in enumerate(runs):
            known = dict(zip(graph.inputs, self._file.sample(number), strict=True))
            known |= dict(zip(wanted, results, strict=True))
            yield tuple(tensor.data if tensor.is_const else known[self._values[tensor]] for tensor in tensors)

    def ranges(self, tensors: Iterable[Tensor]) -> Mapping[Tensor, tuple[float, float]]:
        """The least and the greatest finite value of tensors over all samples."""
        found: dict[Tensor, tuple[float, float]] = {}
        for tensor in tensors:
            if tensor in self._values:
                found[tensor] = _range(tensor.data) if tensor.is_const else self._ranges[self._values[tensor]]
        return {tensor: (least, most) for tensor, (least, most) in found.items() if least <= most}

    @cached_property
    def _ranges(self) -> dict[Value, tuple[float, float]]:
        """The ranges of all values that vary. A node behind each value computes its range, so that no value outlives
        its use.
        """
        graph = self._inferred.graph
        nodes = {value: _range_node(value) for tensor, value in self._values.items() if not tensor.is_const}
        ordered = [nodes[value] for value in graph.inputs if value in nodes]
        for node in graph.nodes:
            ordered += [node, *(nodes[value] for value in node.outputs if value in nodes)]
        found = dict.fromkeys(nodes, EMPTY)
        for results in self._runs([node.outputs[0] for node in nodes.values()], ordered):
            for value, result in zip(nodes, results, strict=True):
                found[value] = min(found[value][0], float(result[0])), max(found[value][1], float(result[1]))
        return found

    def _runs(self, wanted: Sequence[Value], nodes: Sequence[Node]) -> Iterator[list[Array]]:
        """The values of each sample, by these nodes of the model."""
        graph = self._inferred.graph
        alone = replace(
            graph, outputs=list(wanted), nodes=_needed(nodes, wanted), reading=None, signatures=(), removed=()
        )
        shapes = dict(zip(graph.inputs, (each.shape for each in self._file.sample(0)), strict=True))
        operator = CustomOperator(RANGE, _computed_range, _range_spec)
        plan = self._plan_alone(alone, {**self._inferred.customs, RANGE: operator}, shapes)
        run = Run(plan, Fallbacks(plan))
        for number in range(self.count):
            yield run.execute(self._file.sample(number))


def _needed(nodes: Sequence[Node], wanted: Sequence[Value]) -> list[Node]:
    """The nodes that values depend on, in their order; nodes without outputs stay."""
    producers = {value: node for node in nodes for value in node.outputs}
    left = [producers[value] for value in wanted if value in producers]
    left += [node for node in nodes if not node.outputs]
    found = set(left)
    while left:
        for value in left.pop().inputs:
            node = None if value is None else producers.get(value)
            if node is not None and node not in found:
                found.add(node)
                left.append(node)
    return [node for node in nodes if node in found]


def _range_node(value: Value) -> Node:
    result = Value(f"range of {value.name}", DataType.FLOAT64, (2,))
    return Node(result.name, custom_primitive(RANGE, {}), [value], [result])


def _range_spec(*_: object) -> ArraySpec:
    return ArraySpec(np.dtype(np.float64), (2,))


def _computed_range(arrays: Sequence[Array | None], _: object) -> Array:
    (array,) = arrays
    assert array is not None
    return np.array(_range(array), np.float64)


def _range(array: Array) -> tuple[float, float]:
    """The least and the greatest finite value; ``EMPTY`` where there is none."""
    if not array.size:
        return EMPTY
    least, most = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)
    if not (np.isfinite(least) and np.isfinite(most)):
        finite = array[np.isfinite(array)]
        return _range(finite)
    return float(least), float(most)
