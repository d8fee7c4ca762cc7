"""Graphs: nodes that apply primitives to values, with inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief, OneLine, extents, quoted, some
from .primitive import Primitive
from .source import Source
from .types.enums import QuantType
from .value import Value

Shapes = Mapping[str, tuple[int, ...]]
"""Shapes of inputs, by name."""
GraphStep = Callable[["Graph"], "Graph"]


@dataclass(eq=False, slots=True)
class Node(OneLine):
    """One application of a primitive.

    Attributes:
        name: the node's name in the file; need not be unique.
        primitive: operator type and attributes.
        inputs: the operands in the schema's order; None where an optional operand is absent.
        outputs: the results.
        quant_type: the quantization of the node.
        device_type: the file's device hint, -1 for none.
        sources: the nodes of the file that the node comes from; none for a node that comes from no file, or that only
            moves data between other nodes. Not written to ``.ms`` files.
    """

    name: str
    primitive: Primitive
    inputs: list[Value | None]
    outputs: list[Value]
    quant_type: QuantType = QuantType.QUANT_NONE
    device_type: int = -1
    sources: tuple[Source, ...] = ()

    @property
    def op_type(self) -> str:
        """The primitive's name in the schema."""
        return self.primitive.op_type

    def _line(self) -> str:
        return f"{quoted(self.name)} ({self.op_type})"


@dataclass(frozen=True, slots=True)
class ModelInfo(Brief):
    """The words of a model file about itself. Fields as in the schema."""

    name: str | None = None
    version: str | None = None
    fmk_type: int = 0
    mempool_size: int = 0
    obfuscate: bool = False
    obf_meta_data: bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Signature(Brief):
    """A way to call a model by names of its own: a signature of its file.

    Attributes:
        key: the name of the signature.
        inputs: the graph's inputs, by their names in the signature; empty where it calls another graph of the file.
        outputs: the graph's outputs, by their names in the signature; empty where it calls another graph of the file.
        is_elsewhere: whether the signature calls another graph of the file, or calls the graph for other outputs.
    """

    key: str
    inputs: Mapping[str, Value] = field(default_factory=dict)
    outputs: Mapping[str, Value] = field(default_factory=dict)
    is_elsewhere: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Reading(Brief):
    """The function that reads a graph again once the shapes of its inputs are known, and the steps applied to the graph
    then.

    A file is read node by node, and the shapes decide the operators of some nodes. Where the shapes are open, such a
    node is left as it is in the file, and no kernel runs it; read again for known shapes, it is one of our operators.

    Attributes:
        read: reads the file for the shapes of all inputs.
        steps: the changes of the graph since it was read, in order.
        fixed: shapes of inputs of the file that the graph does not have any more.
    """

    read: Callable[[Shapes], Graph]
    steps: tuple[GraphStep, ...] = ()
    fixed: Shapes = field(default_factory=dict)

    def __call__(self, shapes: Shapes) -> Graph:
        """The graph for shapes of its inputs.

        Raises:
            LiteDelegateError: the model does not take them, see ``formats.read_model``.
        """
        graph = self.read({**self.fixed, **shapes})
        for step in self.steps:
            graph = step(graph)
        return graph


@dataclass(eq=False, slots=True)
class Graph(OneLine):
    """A computation with inputs and outputs.

    Attributes:
        name: the subgraph's name in the file.
        inputs: the values that the caller gives, in API order.
        outputs: the values that the caller gets, in API order.
        nodes: in file order, which need not be an executable order.
        subgraphs: of the main graph only: the other subgraphs in file order, so that
            ``PartialFusion.sub_graph_index`` k names the main graph for 0 and ``subgraphs[k - 1]`` otherwise.
        info: of the main graph only: the file's description of itself.
        removed: of the main graph only: the nodes of the file that no node of any graph comes from: constants, nodes
            computed from constants, nodes without an effect, and nodes that nobody reads.
        readers: of the main graph only: for each node of the file the nodes of the file that read its outputs.
        signatures: of the main graph only: the signatures of its file, in order.
        resources: of the main graph only: variables that other graphs of its file share, with their names in the file.
        reading: of the main graph only: reads it again for known shapes of its inputs; None where known shapes make no
            difference.
    """

    name: str
    inputs: list[Value]
    outputs: list[Value]
    nodes: list[Node]
    subgraphs: list[Graph] = field(default_factory=list)
    info: ModelInfo | None = None
    removed: tuple[Source, ...] = ()
    readers: Mapping[Source, tuple[Source, ...]] = field(default_factory=dict)
    signatures: tuple[Signature, ...] = ()
    resources: Mapping[Value, str] = field(default_factory=dict)
    reading: Reading | None = None

    def values(self) -> list[Value]:
        """Every value that the graph's inputs, nodes and outputs name, each once, in first-use order."""
        seen: dict[Value | None, None] = dict.fromkeys(self.inputs)
        for node in self.nodes:
            seen.update(dict.fromkeys((*node.inputs, *node.outputs)))
        seen.update(dict.fromkeys(self.outputs))
        return [value for value in seen if value is not None]

    def producers(self) -> dict[Value, Node]:
        """The node that gives each value that a node gives."""
        return {value: node for node in self.nodes for value in node.outputs}

    def consumers(self) -> dict[Value, list[Node]]:
        """The nodes that read each value, in file order; a node that reads a value twice is listed once."""
        found: dict[Value, list[Node]] = {}
        for node in self.nodes:
            for value in dict.fromkeys(node.inputs):
                if value is not None:
                    found.setdefault(value, []).append(node)
        return found

    def all_graphs(self) -> Iterator[Graph]:
        """This graph, then its subgraphs."""
        yield self
        yield from self.subgraphs

    def subgraph(self, index: int) -> Graph:
        """The graph that ``sub_graph_index`` names; 0 is this graph.

        Raises:
            IndexError: the subgraph does not exist.
        """
        if not 0 <= index <= len(self.subgraphs):
            raise IndexError(
                f"sub_graph_index {index} is out of range, the model has {counted(len(self.subgraphs) + 1, 'graph')}"
            )
        return self if index == 0 else self.subgraphs[index - 1]

    def _line(self) -> str:
        ends = (some(extents(value.shape) for value in values) for values in (self.inputs, self.outputs))
        return f"{quoted(self.name)}: {counted(len(self.nodes), 'node')}, {' -> '.join(ends)}"

    def _repr_html_(self) -> str:
        """What a notebook shows: a line, and the first nodes with the names of their inputs, and their outputs."""
        from ..basics.words.fragments import fragment

        rows = [(node.name, node.op_type, _names(node.inputs), _outputs(node)) for node in self.nodes]
        return fragment(repr(self), "", ("name", "type", "inputs", "outputs"), rows, "nodes has all")


def _names(values: Sequence[Value | None]) -> str:
    return some([value.name for value in values if value is not None])


def _outputs(node: Node) -> str:
    return some([f"{value.name}: {value.dtype.name.lower()}{extents(value.shape)}" for value in node.outputs])


def read_through(before: Graph, after: Graph, step: GraphStep, fixed: Shapes | None = None) -> Graph:
    """The graph that a step made of a graph. If the graph can be read again, the new graph goes through the step as
    well.

    Args:
        before: the graph before the step.
        after: the graph after the step; not changed.
        step: the step, which can be applied to any graph of the file.
        fixed: shapes of inputs that ``after`` does not have any more.
    """
    reading = before.reading
    if reading is None:
        return after
    more = Reading(reading.read, (*reading.steps, step), {**reading.fixed, **(fixed or {})})
    return replace(after, reading=more)
