"""Checks after each pass over a graph: the graph's rules, the given objects, and the specs of values are kept."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from lite_delegate_kernels import UNKNOWN, ArraySpec

from ...basics.counted import counted
from ...errors import GraphError
from ...ir import Graph, Node, Value, topological_order, verify
from .base import PassResult
from .inference_memory import InferenceMemory
from .provenance import with_removed
from .value_specs import ValueSpecs
from .variables import variables_of


class KeptChecks:
    """Compares the graph after each pass with the graph before it.

    1. A changed graph keeps the rules of ``ir.verify``.
    2. Nodes, values and lists of the given graph are as they were: a pass makes new ones.
    3. Subgraphs, inputs and outputs keep their number, order, names, types and shapes.
    4. A value that another node gives now, and a value that replaces an output, must have the same inferred type and
       shape as before, and the same elements where these are whole numbers that follow from constants. Specs that are
       unknown before or after are not compared.
    5. A node whose result was inferred before must accept its new inputs.

    Only nodes that a pass made, and the nodes that they read from, are inferred, each once.

    Computed results are not compared: a pass that exchanges two results of one type and shape goes unnoticed here.
    """

    def __init__(self, graph: Graph, memory: InferenceMemory) -> None:
        self._memory = memory
        self._state = _state(graph)
        self._specs = ValueSpecs(variables_of(graph))

    def after(self, name: str, before: Graph, result: PassResult[Graph]) -> Graph:
        """Checks the result of a pass. Returns it with the removed nodes of the file.

        Raises:
            GraphError: a check failed; the message names the pass and the value or node, with the old and the new spec.
        """
        if _state(before) != self._state:
            raise GraphError(f"Pass '{name}' changed {self._changed(before)} that it was given; it must make new ones.")
        if not result.modified:
            return before
        try:
            verify(result.graph)
        except GraphError as e:
            raise GraphError(f"Pass '{name}' made a graph that breaks a rule: {e}") from e
        graphs = list(before.all_graphs()), list(result.graph.all_graphs())
        if len(graphs[0]) != len(graphs[1]):
            raise GraphError(
                f"Pass '{name}': expected {counted(len(graphs[0]) - 1, 'subgraph')}, got {len(graphs[1]) - 1}."
            )
        for old, new in zip(*graphs, strict=True):
            if old is not new:
                self._compare(f"Pass '{name}', graph '{old.name}'", old, new)
        made = with_removed(before, result.graph)
        self._state = _state(made)
        self._memory.keep(made)
        return made

    def _changed(self, graph: Graph) -> str:
        found = zip(_nodes_of(graph), [row for _, _, rows in self._state for row in rows], strict=False)
        nodes = [node for node, row in found if _node_state(node) != row]
        return f"node '{nodes[0].name}' ({nodes[0].op_type})" if nodes else f"the lists of graph '{graph.name}'"

    def _compare(self, where: str, old: Graph, new: Graph) -> None:
        for kind, given, made in (("input", old.inputs, new.inputs), ("output", old.outputs, new.outputs)):
            if len(given) != len(made):
                gone = [f"'{v.name}'" for v in given if v.name not in {m.name for m in made}]
                lost = f", without {', '.join(gone)}" if gone else ""
                raise GraphError(f"{where}: expected {len(given)} {kind}s, got {len(made)}{lost}.")
            for position, (a, b) in enumerate(zip(given, made, strict=True)):
                if a is not b and _declared(a) != _declared(b):
                    raise GraphError(f"{where}: {kind} {position} was {_said(a)}, is {_said(b)}.")
        self._compare_values(where, old, new)

    def _compare_values(self, where: str, old: Graph, new: Graph) -> None:
        known = set(old.nodes)
        makers = old.producers()
        before: dict[Value, ArraySpec | None] = {}
        fresh = [node for node in topological_order(new) if node not in known]
        for value in (v for node in fresh for v in node.outputs):
            if value in makers:
                before[value] = self._specs.inferred(value, makers)
        pairs = [(a, b) for a, b in zip(old.outputs, new.outputs, strict=True) if a is not b]
        outputs = [(a, b, self._specs.inferred(a, makers)) for a, b in pairs]
        self._specs.forget(v for node in fresh for v in node.outputs)
        now = new.producers()
        for node in fresh:
            for value in node.outputs:
                _compare_specs(where, value, before.get(value), self._specs.inferred(value, now), node, self._specs)
        for a, b, spec in outputs:
            _compare_specs(where, a, spec, self._specs.inferred(b, now), now.get(b), self._specs)


def _compare_specs(
    where: str, value: Value, was: ArraySpec | None, now: ArraySpec | None, node: Node | None, specs: ValueSpecs
) -> None:
    """Raises an error where the new spec of a value contradicts the old one."""
    if was is None:
        return
    by = "" if node is None else f" from node '{node.name}' ({node.op_type})"
    if now is None:
        why = None if node is None else specs.rejection(node)
        if why is not None:
            raise GraphError(f"{where}: value '{value.name}' was {_text(was)}, but is rejected{by}: {why}.")
        return
    if was.dtype != now.dtype or not _fit(was.shape, now.shape):
        raise GraphError(f"{where}: value '{value.name}' was {_text(was)}, is {_text(now)}{by}.")
    if was.value is None or now.value is None or was.dtype.kind not in "iub":
        return
    if not np.array_equal(was.value, now.value):
        found, expected = np.asarray(now.value).tolist(), np.asarray(was.value).tolist()
        raise GraphError(f"{where}: value '{value.name}' was {expected}, is {found}{by}.")


def _fit(was: Sequence[int] | None, now: Sequence[int] | None) -> bool:
    if was is None or now is None:
        return True
    return len(was) == len(now) and all(a == b or UNKNOWN in (a, b) for a, b in zip(was, now, strict=True))


def _text(spec: ArraySpec) -> str:
    return f"{spec.dtype} {'of unknown rank' if spec.shape is None else list(spec.shape)}"


def _declared(value: Value) -> Hashable:
    return value.name, value.dtype, value.shape


def _said(value: Value) -> str:
    return f"'{value.name}' {value.dtype.name} {'of unknown rank' if value.shape is None else list(value.shape)}"


def _nodes_of(graph: Graph) -> list[Node]:
    return [node for each in graph.all_graphs() for node in each.nodes]


def _state(graph: Graph) -> list[tuple[tuple[Value, ...], tuple[Value, ...], list[Hashable]]]:
    """The state of objects that a pass is given, as far as it could change them."""
    return [(tuple(g.inputs), tuple(g.outputs), [_node_state(n) for n in g.nodes]) for g in graph.all_graphs()]


def _node_state(node: Node) -> Hashable:
    results = [(v, v.name, v.dtype, v.shape) for v in node.outputs]
    return node, node.primitive, node.quant_type, tuple(node.inputs), tuple(results)
