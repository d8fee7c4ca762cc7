"""Subgraphs of a file to graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...basics.unforeseen import shown
from ...errors import LiteDelegateError
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import DataType, Graph, Node, Source, Value
from ..input_shapes import InputShapes, give_shapes
from ..rejection import NotConvertible, Rejection, Why
from ..sources import FileNode, readers_of, removed_sources
from .conversion import Converter, OperatorConversion
from .converters.signal import COMPLEX
from .converters.variable import RESOURCES
from .custom_nodes import custom_node
from .operator import TfliteOperator
from .signatures import EntryPoint
from .subgraphs import Subgraphs
from .table import CONVERTERS, STATEFUL
from .tensors.buffers import Bytes, CopyBudget
from .tensors.layout import enum_names
from .tensors.tensors import SubgraphTensors, read_tensors
from .unmapped import UNMAPPED
from .variables import Variables

_ABSENT = -1


@dataclass(slots=True)
class TfliteImporter:
    """One import of a file.

    Attributes:
        records: the file's subgraphs.
        codes: the operator of each operator code: builtin name, custom name, version.
        buffers: the contents of the file's buffers.
        budget: for constants that have to be copied.
        input_shapes: the caller's shapes for inputs of the main graph.
        subgraphs: the graphs besides the main one.
        variables: the variables of the file.
        rejections: the operators that cannot be imported.
        nodes: the operators that were looked at: what they read and give.
    """

    records: Sequence[Record]
    codes: Sequence[tuple[str, str, int]]
    buffers: Sequence[Bytes]
    budget: CopyBudget
    input_shapes: InputShapes = field(default_factory=dict)
    subgraphs: Subgraphs = field(default_factory=Subgraphs)
    variables: Variables = field(default_factory=Variables)
    rejections: list[Rejection] = field(default_factory=list)
    nodes: dict[Source, FileNode] = field(default_factory=dict)

    def main(self, entry: EntryPoint) -> Graph:
        """The graph of an entry, with the graphs that it calls as subgraphs.

        Raises:
            FormatProblem: the file is not as the format has it.
            InputError: ``input_shapes`` do not fit.
        """
        self.subgraphs.numbers[entry.subgraph] = 0
        graph = self._convert(entry.subgraph, entry)
        while self.subgraphs.pending:
            index = self.subgraphs.pending.pop()
            self.subgraphs.put(self.subgraphs.numbers[index], self._convert(index, None))
        self._initialize()
        _check_calls(self.subgraphs.calls, entry.subgraph)
        graph.subgraphs = [each for each in self.subgraphs.graphs if each is not None]
        graph.removed = removed_sources(graph, self.nodes)
        graph.readers = readers_of(self.nodes)
        return graph

    def resources(self, graph: Graph) -> dict[Value, str]:
        """The variables that another entry of the file may share, with their names in the file.

        A variable that is never assigned is left out: it keeps its first contents.

        Args:
            graph: that was imported.
        """
        ours = self.subgraphs.numbers.keys() | self.variables.initializers.keys()
        others = [record for index, record in enumerate(self.records) if index not in ours]
        operators = (operator for record in others for operator in record["operators"] or ())
        is_assigned = any(self._code(each["opcode_index"])[0] == "ASSIGN_VARIABLE" for each in operators)
        assigned = {node.inputs[0] for each in graph.all_graphs() for node in each.nodes if node.op_type == "Assign"}
        named = self.variables.by_name.items()
        return {value: "/".join(names) for names, value in named if is_assigned or value in assigned}

    def _initialize(self) -> None:
        """Runs the subgraphs that the file calls once: variables get their first contents."""
        for index, source in self.variables.initializers.items():
            try:
                self.variables.initialize(self._convert(index, None))
            except NotConvertible as e:
                self.rejections.append(Rejection(source.op_type, f"subgraph {index}", e.why, e.reason))
        self.rejections += self.variables.unknown()

    def _convert(self, index: int, entry: EntryPoint | None) -> Graph:
        if index >= len(self.records) or index < 0:
            raise FormatProblem(f"expected positions below {len(self.records)}, found {index}", "subgraph_index")
        record = self.records[index]
        name = record["name"] or f"subgraph-{index}"
        try:
            return self._graph(record, index, name, entry)
        except FormatProblem as problem:
            raise problem.within(f"subgraphs[{index}] '{name}'") from None

    def _graph(self, record: Record, index: int, name: str, entry: EntryPoint | None) -> Graph:
        operators = list(record["operators"] or ())
        inputs, outputs = indices(record["inputs"]), indices(record["outputs"])
        given = set(inputs).union(*(indices(o["outputs"]) for o in operators))
        tensors = read_tensors(record["tensors"] or (), self.buffers, set(inputs), given, self.budget)
        if entry is not None:
            give_shapes([tensors.at(i, "inputs") for i in inputs], self.input_shapes)
        nodes: list[Node] = []
        names = Counter(value.name for value in tensors.values)
        path = (name,) if entry is None else ()
        for position, each in enumerate(operators):
            try:
                nodes += self._nodes(_Place(index, position, len(self.records) > 1, path, names), each, tensors)
            except FormatProblem as problem:
                raise problem.within(f"operators[{position}]") from None
        wanted = None if entry is None else entry.outputs
        kept = [i for i in outputs if wanted is None or i in wanted]
        boundary = [[tensors.at(i, place) for i in found] for found, place in ((inputs, "inputs"), (kept, "outputs"))]
        for value in dict.fromkeys(boundary[0] + boundary[1]):
            self._check_boundary(value, tensors, index)
        return Graph(name, boundary[0], boundary[1], nodes)

    def _check_boundary(self, value: Value, tensors: SubgraphTensors, index: int) -> None:
        reason = "its elements are COMPLEX64" if value in tensors.complex else tensors.unusable.get(value)
        if reason is not None:
            text = f"'{value.name}' cannot be an input or an output: {reason}"
            self.rejections.append(Rejection("(input or output)", f"subgraph {index}", Why.DTYPE, text))

    def _nodes(self, place: _Place, record: Record, tensors: SubgraphTensors) -> list[Node]:
        """Our nodes for an operator; Custom where ours do not say it; none where it is rejected, which is noted."""
        kind, custom, version = self._code(record["opcode_index"])
        outputs = tuple(tensors.at(i, "outputs") for i in indices(record["outputs"]))
        source = place.source(custom or kind, outputs)
        operator = TfliteOperator(
            kind=kind,
            custom=custom,
            version=version,
            subgraph=place.subgraph,
            position=place.position,
            source=source,
            inputs=tuple(None if i == _ABSENT else tensors.at(i, "inputs") for i in indices(record["inputs"])),
            outputs=outputs,
            options=(record["builtin_options"], record["builtin_options2"]),
            custom_options=record["custom_options"],
            tensors=tensors,
        )
        self.nodes[source] = FileNode(tuple(v for v in operator.inputs if v is not None), outputs)
        conversion = OperatorConversion(operator, self.budget, self.subgraphs, self.variables)
        try:
            _check_operands(operator)
            _converter(operator)(conversion)
            return conversion.nodes
        except NotConvertible as rejected:
            return self._custom(operator, rejected, place)
        except (FormatProblem, LiteDelegateError, MemoryError):
            raise
        except Exception as e:
            raise FormatProblem(f"operands or options do not fit {custom or kind}: {shown(e)}") from e

    def _custom(self, operator: TfliteOperator, rejected: NotConvertible, place: _Place) -> list[Node]:
        """A Custom node for an operator that none of ours say; none where no tensor can hold its operands."""
        try:
            return [custom_node(operator, rejected)]
        except NotConvertible as e:
            name = f"{operator.custom or operator.kind} (version {operator.version})"
            self.rejections.append(Rejection(name, place.text, e.why, e.reason))
            return []

    def _code(self, index: int) -> tuple[str, str, int]:
        if index >= len(self.codes):
            raise FormatProblem(f"expected positions below {len(self.codes)}, found {index}", "opcode_index")
        return self.codes[index]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an operator stands.

    Attributes:
        subgraph: of the file.
        position: among the subgraph's operators.
        is_one_of_many: whether the file has more subgraphs.
        path: the subgraph's name; empty for the main graph.
        names: how many tensors of the subgraph have each name.
    """

    subgraph: int
    position: int
    is_one_of_many: bool
    path: tuple[str, ...]
    names: Counter[str]

    @property
    def text(self) -> str:
        """For people."""
        return f"operator {self.position}" + (f" of subgraph {self.subgraph}" if self.is_one_of_many else "")

    def source(self, op_type: str, outputs: Sequence[Value]) -> Source:
        """The operator as the file has it, where operators have no names: its first result gives it one.

        Where that has none, or one that other tensors have too, the operator's type and position do.
        """
        given = outputs[0].name if outputs else ""
        name = given if given and self.names[given] == 1 else f"{op_type}-{self.position}"
        place = (self.subgraph, self.position) if self.path else (self.position,)
        return Source(name, op_type, self.path, place)


def indices(array: np.ndarray[Any, Any] | None) -> list[int]:
    """A vector of positions; an absent one is empty."""
    return [] if array is None else list(array.tolist())


def read_codes(records: Sequence[Record]) -> list[tuple[str, str, int]]:
    """Builtin name, custom name and version of each operator code.

    NOTE: numbers that do not fit a byte are in a field that was added later; the larger of the two counts.
    """
    names = enum_names("BuiltinOperator")
    found = []
    for record in records:
        number = max(record["deprecated_builtin_code"], record["builtin_code"])
        kind = names.get(number, f"operator {number}")
        custom = (record["custom_code"] or "(no name)") if kind == "CUSTOM" else ""
        found.append((kind, custom, record["version"]))
    return found


def _converter(operator: TfliteOperator) -> Converter:
    found = CONVERTERS.get(operator.kind)
    if found is None:
        raise NotConvertible(Why.OPERATOR, UNMAPPED.get(operator.kind, "the operator is newer than this importer"))
    return found


def _check_operands(operator: TfliteOperator) -> None:
    """Raises NotConvertible for operands that no operator of ours, or not this one, can have."""
    tensors = operator.tensors
    for value in (*operator.inputs, *operator.outputs):
        if value is None or (value in tensors.resources and operator.kind in RESOURCES):
            continue
        if value in tensors.unusable:
            raise NotConvertible(Why.DTYPE, f"'{value.name}': {tensors.unusable[value]}")
        if value in tensors.complex and operator.kind not in COMPLEX:
            raise NotConvertible(Why.DTYPE, f"'{value.name}': its elements are COMPLEX64")
        if value in tensors.variables and operator.kind not in STATEFUL:
            raise NotConvertible(Why.ATTRIBUTE, f"'{value.name}' is a variable, which keeps state between predictions")
        if value.dtype == DataType.UNKNOWN:
            raise NotConvertible(Why.DTYPE, f"'{value.name}': its element type is not known")


def _check_calls(calls: dict[int, set[int]], entry: int) -> None:
    """Raises FormatProblem where subgraphs call each other in a circle: they could not end."""
    done: set[int] = set()
    path: list[tuple[int, list[int]]] = [(entry, sorted(calls.get(entry, ())))]
    open_ = {entry}
    while path:
        current, rest = path[-1]
        if not rest:
            path.pop()
            open_.discard(current)
            done.add(current)
            continue
        following = rest.pop()
        if following in open_:
            raise FormatProblem(f"subgraph {following} calls itself by way of subgraph {current}", "subgraphs")
        if following not in done:
            open_.add(following)
            path.append((following, sorted(calls.get(following, ()))))
