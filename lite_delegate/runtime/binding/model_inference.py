"""Shape inference of a model: its main graph, and the subgraphs as they are called.

A subgraph has one set of specs, which covers every call of the subgraph. The specs are worked out by iteration: each
call joins its arguments' specs to those of the subgraph's inputs, each subgraph joins its outputs' specs to the results
of its calls, until no spec changes. A dimension can only go from a number to unknown, a shape only to unknown rank, a
value only from known to unknown, so the iteration ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite_delegate_kernels import UNKNOWN, ArraySpec, KernelInputError

from ...basics.counted import counted
from ...errors import GraphError, ShapeError
from ...ir import DataType, Graph, Node, Value, topological_order
from ..budget import check_describable
from .host import find_variables, stored_list, variable_spec
from .inference import Operators, infer_node
from .specs import (
    ListSpec,
    PartialSpec,
    Spec,
    SpecConflict,
    Specs,
    declared_spec,
    describe,
    join,
    spec_key,
    spec_of_value,
)

MAIN = 0
"""The main graph's index."""


class ModelInference:
    """The specs of every value of the graphs that a model can reach.

    Args:
        main: the model.
        operators: the kernels that its nodes can be run with.
    """

    def __init__(self, main: Graph, operators: Operators) -> None:
        self._main = main
        self._operators = operators
        self._variables = {v: variable_spec(v) for v in find_variables(main)}
        self._orders: dict[int, list[Node]] = {}
        self._inputs: dict[int, list[Spec | None]] = {}
        self._outputs: dict[int, list[Spec | None]] = {}
        self._callers: dict[int, set[int]] = {}
        self._endless: dict[int, Node] = {}
        self._specs: dict[int, Specs] = {}
        self._pending: dict[int, None] = {MAIN: None}

    def run(self, input_shapes: Mapping[Value, tuple[int, ...]]) -> dict[int, Specs]:
        """The specs by graph index, for the given shapes of the main graph's inputs.

        Raises:
            ShapeError: names the node whose inputs do not fit.
            LimitError: no array can be as large as an input or an output.
            GraphError: a call of something else than a subgraph, with a wrong number of inputs or outputs, or one
                that never returns.
        """
        self._inputs[MAIN] = [declared_spec(v, input_shapes.get(v, v.shape)) for v in self._main.inputs]
        while self._pending:
            index = next(iter(self._pending))
            del self._pending[index]
            self._infer_graph(index)
        for index, node in self._endless.items():
            raise GraphError(f"{self._where(index, node)}: the call never returns; every path of it calls again.")
        return dict(sorted(self._specs.items()))

    def order(self, index: int) -> list[Node]:
        """The nodes of a graph in an executable order.

        Raises:
            GraphError: the nodes form a cycle.
        """
        if index not in self._orders:
            self._orders[index] = topological_order(self._main.subgraph(index))
        return self._orders[index]

    def _infer_graph(self, index: int) -> None:
        graph = self._main.subgraph(index)
        specs = self._specs[index] = self._given(graph, self._inputs[index])
        for value in graph.inputs:
            _check_describable(f"Input '{value.name}'", specs.get(value))
        as_declared = all(_is_declared(v, specs.get(v)) for v in graph.inputs)
        for node in self.order(index):
            if node.op_type == "PartialFusion":
                self._bind(index, node, specs)
            elif node.op_type != "Call":
                infer_node(node, specs, self._operators, as_declared)
                for value in node.outputs:
                    _check_describable(f"{self._where(index, node)}: output '{value.name}'", specs.get(value))
            elif not self._call(index, node, specs):
                self._endless[index] = node
                return
        self._endless.pop(index, None)
        self._return(index, [spec_of_value(v, specs) for v in graph.outputs])

    def _given(self, graph: Graph, inputs: Sequence[Spec | None]) -> Specs:
        """The values known before the first node runs: inputs, variables, constant lists."""
        specs: Specs = {v: s for v, s in zip(graph.inputs, inputs, strict=True) if s is not None}
        specs.update(self._variables)
        for node in graph.nodes:
            for value in node.inputs:
                if value is not None and value.dtype == DataType.TENSOR_LIST and value.is_constant:
                    specs[value] = _list_spec(value)
        return specs

    def _bind(self, index: int, node: Node, specs: Specs) -> None:
        target = int(node.primitive.attributes()["sub_graph_index"])
        if len(node.outputs) != 1:
            raise GraphError(f"{self._where(index, node)}: must have 1 output, found {len(node.outputs)}.")
        self._pass(index, node, target, 0, [spec_of_value(v, specs) for v in node.inputs])
        specs[node.outputs[0]] = PartialSpec(frozenset({(target, len(node.inputs))}))

    def _call(self, index: int, node: Node, specs: Specs) -> bool:
        """Adds the outputs of a call. False: nothing that it can call is known to return yet."""
        partial = spec_of_value(node.inputs[0], specs) if node.inputs else None
        if not isinstance(partial, PartialSpec):
            raise GraphError(
                f"{self._where(index, node)}: input 0 must be the result of PartialFusion, Switch or SwitchLayer, "
                f"found {describe(partial) if node.inputs else 'no input'}."
            )
        arguments = [spec_of_value(v, specs) for v in node.inputs[1:]]
        returned: list[list[Spec | None]] = []
        for target, bound in sorted(partial.targets):
            self._check_call(index, node, target, bound)
            self._pass(index, node, target, bound, arguments)
            self._callers.setdefault(target, set()).add(index)
            if target not in self._specs:
                self._pending[target] = None
            if target in self._outputs:
                returned.append(self._outputs[target])
        if not returned:
            return False
        for position, value in enumerate(node.outputs):
            spec = self._join(f"{self._where(index, node)}: output {position}", [r[position] for r in returned])
            if spec is not None:
                specs[value] = spec
        return True

    def _check_call(self, index: int, node: Node, target: int, bound: int) -> None:
        callee = self._main.subgraph(target)
        given = bound + len(node.inputs) - 1
        if given != len(callee.inputs):
            raise GraphError(
                f"{self._where(index, node)}: graph '{callee.name}' has {counted(len(callee.inputs), 'input')}, "
                f"found {given}: {bound} bound before and {given - bound} from the call."
            )
        if len(node.outputs) != len(callee.outputs):
            raise GraphError(
                f"{self._where(index, node)}: graph '{callee.name}' has {counted(len(callee.outputs), 'output')}, "
                f"found {len(node.outputs)}."
            )

    def _pass(self, index: int, node: Node, target: int, first: int, arguments: Sequence[Spec | None]) -> None:
        """Joins the specs of arguments to the specs of a subgraph's inputs, from number ``first`` on."""
        callee = self._main.subgraph(target)
        if first + len(arguments) > len(callee.inputs):
            raise GraphError(
                f"{self._where(index, node)}: graph '{callee.name}' has {counted(len(callee.inputs), 'input')}, "
                f"found {first + len(arguments)}."
            )
        known = self._inputs.setdefault(target, [_NOTHING] * len(callee.inputs))
        for position, new in enumerate(arguments, first):
            old = known[position]
            if old is not _NOTHING:
                where = f"{self._where(index, node)}: input {position} of graph '{callee.name}'"
                new = self._join(where, [old, new])
            if old is _NOTHING or spec_key(new) != spec_key(old):
                known[position] = new
                if target in self._specs:
                    self._pending[target] = None

    def _return(self, index: int, outputs: list[Spec | None]) -> None:
        """Joins the specs of a subgraph's outputs to the results of its calls."""
        old = self._outputs.get(index)
        if old is not None:
            name = self._main.subgraph(index).name
            outputs = [
                self._join(f"Graph '{name}': output {i}", [a, b])
                for i, (a, b) in enumerate(zip(old, outputs, strict=True))
            ]
        if old is None or [spec_key(s) for s in outputs] != [spec_key(s) for s in old]:
            self._outputs[index] = outputs
            self._pending.update(dict.fromkeys(sorted(self._callers.get(index, ()))))

    def _join(self, where: str, specs: Sequence[Spec | None]) -> Spec | None:
        joined = specs[0]
        for spec in specs[1:]:
            try:
                joined = join(joined, spec)
            except SpecConflict as e:
                raise ShapeError(f"{where} must be of one kind, got {e}.") from e
        return joined

    def _where(self, index: int, node: Node) -> str:
        return f"Graph '{self._main.subgraph(index).name}', node '{node.name}' ({node.op_type})"


_NOTHING = PartialSpec(frozenset())
"""Stands for an input that no call has passed anything for yet."""


def _is_declared(value: Value, spec: Spec | None) -> bool:
    """True unless the shape contradicts the shape in the file, whose open dimensions may have any size."""
    if not isinstance(spec, ArraySpec) or value.dtype == DataType.STRING or value.shape is None:
        return True
    pairs = None if spec.rank != len(value.shape) else zip(spec.shape or (), value.shape, strict=True)
    return pairs is not None and all(declared in (UNKNOWN, dim) for dim, declared in pairs)


def _list_spec(value: Value) -> ListSpec:
    try:
        stored = stored_list(value)
    except KernelInputError as e:
        raise GraphError(f"Constant tensor list '{value.name}': {e}.") from e
    return ListSpec(stored.dtype, stored.element_shape)


def _check_describable(what: str, spec: Spec | None) -> None:
    if isinstance(spec, ArraySpec):
        check_describable(what, spec)
