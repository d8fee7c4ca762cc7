"""The importer of an ONNX graph: every node goes through its converter; nodes without a converter become Custom
nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...basics.unforeseen import shown
from ...errors import LiteDelegateError
from ...flatbuffer.problem import FormatProblem
from ...ir import Graph, Node, Source, Value
from ..rejection import NotConvertible, Rejection, Why
from ..sources import FileNode
from . import table
from .control.free_names import names_read_inside
from .control.lost import Lost
from .conversion import OnnxNode, UseFunctionBody
from .custom_nodes import add_custom
from .functions import function_bodies
from .functions.expansion import MAX_DEPTH, Expansion, called_by, check_expansion, functions_of
from .operators import domain_name, opset_of, qualified
from .protobuf.attributes import Attributes, plain, resolved
from .protobuf.messages import FunctionProto, ModelProto, NodeProto, TensorProto
from .protobuf.tensors import TensorData
from .scope import Scope, declared_types
from .validity import operator_rejection


class OnnxImporter:
    """The import of one model.

    Args:
        model: its own functions are converted wherever they are called.
        tensors: reads the model's tensors.

    Raises:
        LimitError: calls of its functions make too many nodes, see ``expansion``.

    Attributes:
        sources: the nodes of the file that were read; of a call of a function, the nodes of the function's body.
        nodes: the inputs and outputs of the nodes.

    The others are those of ``GraphImporter``.
    """

    def __init__(self, model: ModelProto, tensors: TensorData) -> None:
        self.tensors = tensors
        self.rejections: list[Rejection] = []
        self.graphs: list[Graph] = []
        self.attempts = 0
        self.sources: set[Source] = set()
        self.nodes: dict[Source, FileNode] = {}
        self._functions = functions_of(model)
        self._expansion = Expansion(model)
        check_expansion(model, self._functions)

    def convert(self, nodes: Sequence[NodeProto], scope: Scope) -> None:
        """See ``GraphImporter``."""
        scope.enter(nodes)
        for position, proto in enumerate(nodes):
            missing = [n for n in proto.input if n and n not in scope.values and n not in scope.lost]
            if missing:
                raise FormatProblem(
                    f"reads '{missing[0]}', which no input, initializer or earlier node gives", _place(proto)
                )
            taken = [n for n in proto.output if n and (n in scope.values or n in scope.lost)]
            if taken:
                raise FormatProblem(f"gives '{taken[0]}', which there is already", _place(proto))
            self._convert(proto, scope.source(proto, position), scope)

    def initializers(self, tensors: Iterable[TensorProto], scope: Scope) -> None:
        """See ``GraphImporter``."""
        for tensor in tensors:
            if tensor.name in scope.values:
                raise FormatProblem("is there twice", f"initializer '{tensor.name}'")
            try:
                made = scope.builder.constant(tensor.name, self.tensors.array(tensor))
                scope.values[tensor.name] = made
                scope.builder.mark_narrow(made, tensor.data_type)
            except NotConvertible as rejected:
                scope.lost.add(tensor.name)
                self._reject(f"initializer '{tensor.name}'", "Constant", "", scope, rejected)

    def add_graph(self, graph: Graph) -> int:
        """See ``GraphImporter``."""
        self.graphs.append(graph)
        return len(self.graphs)

    def mark(self) -> tuple[int, int]:
        """See ``GraphImporter``."""
        return len(self.rejections), len(self.graphs)

    def back_to(self, mark: tuple[int, int]) -> None:
        """See ``GraphImporter``."""
        del self.rejections[mark[0] :]
        del self.graphs[mark[1] :]

    def _convert(self, proto: NodeProto, source: Source, scope: Scope) -> None:
        self._expansion.add(proto, scope.prefix, scope.depth)
        outputs = [name for name in proto.output if name]
        try:
            if any(name in scope.lost for name in proto.input):
                raise Lost
            with scope.builder.nodes_of(source):
                self._outputs_or_custom(proto, source, scope)
            if source in self.sources and scope.owner is None:
                reads = (*proto.input, *names_read_inside(proto))
                self.nodes[source] = FileNode(scope.known(reads), scope.known(outputs))
        except Lost:
            scope.lost.update(outputs)
        except NotConvertible as rejected:
            scope.lost.update(outputs)
            self._reject(proto.name or "".join(outputs[:1]), proto.op_type, proto.domain, scope, rejected)
        except (FormatProblem, LiteDelegateError, MemoryError):
            raise
        except Exception as e:
            raise FormatProblem(f"inputs or attributes do not fit the operator: {shown(e)}", _place(proto)) from e

    def _outputs_or_custom(self, proto: NodeProto, source: Source, scope: Scope) -> None:
        """Our nodes for a node of the file; a Custom node where ours do not say it.

        Raises:
            NotConvertible: neither can be; inside of a function that ONNX defines the whole operator becomes Custom.
        """
        nodes, mark = len(scope.builder.nodes), self.mark()
        attributes = resolved(proto, scope.function)
        try:
            self._outputs(proto, source, attributes, scope)
        except NotConvertible as rejected:
            if scope.owner is not None or self._function(proto) is not None:
                raise
            del scope.builder.nodes[nodes:]
            self.back_to(mark)
            add_custom(proto, attributes, scope, self.tensors, rejected)

    def _outputs(self, proto: NodeProto, source: Source, attributes: Attributes, scope: Scope) -> None:
        function = self._function(proto)
        if function is not None:
            self._call(proto, function, attributes, scope, scope.inside(proto, source))
            return
        self.sources.add(source)
        rejected = operator_rejection(proto, opset_of(proto, scope.opsets))
        if rejected is not None:
            raise rejected
        converter = table.converter_of(qualified(proto))
        if converter is None:
            self._expand(proto, source, attributes, scope)
            return
        inputs = [scope.values[name] if name else None for name in proto.input]
        values = plain(attributes, self.tensors)
        opset = opset_of(proto, scope.opsets)
        node = OnnxNode(proto, proto.op_type, opset, inputs, values, source, scope.builder, scope, self)
        before = len(scope.builder.nodes)
        try:
            found = converter(node)
        except UseFunctionBody:
            self._expand(proto, source, attributes, scope)
            return
        results = [found] if isinstance(found, Value) else list(found)
        self._name(proto, results, scope, scope.builder.nodes[before:])

    def _function(self, proto: NodeProto) -> FunctionProto | None:
        """The model's own function that a node calls, if it is a call."""
        return called_by(proto, self._functions)

    def _name(self, proto: NodeProto, results: Sequence[Value | None], scope: Scope, made: Sequence[Node]) -> None:
        """Gives results that the nodes ``made`` give the names that the model has for them; others have theirs."""
        new = {value for node in made for value in node.outputs}
        for position, name in enumerate(proto.output):
            if not name:
                continue
            value = results[position] if position < len(results) else None
            if value is None:
                raise NotConvertible(Why.ATTRIBUTE, f"output {position} has no counterpart")
            if value in new:
                value.name = scope.prefix + name
                new.discard(value)
            scope.values[name] = value

    def _expand(self, proto: NodeProto, source: Source, attributes: Attributes, scope: Scope) -> None:
        """Converts the function body that ONNX defines the operator by.

        Raises:
            NotConvertible: there is no function body, or a node of the body cannot be converted.
        """
        opset = opset_of(proto, scope.opsets)
        specs = [scope.builder.spec(scope.values[n]) if n else None for n in proto.input]
        body = function_bodies.body_of(proto, attributes, specs, opset)
        if body is None:
            raise NotConvertible(Why.OPERATOR, table.NO_COUNTERPART)
        if not body.output:
            raise NotConvertible(
                Why.SHAPE, "ONNX defines it by a function only where more shapes of its inputs are known"
            )
        inside = replace(scope.inside(proto, source), owner=source)
        self._call(proto, body, function_bodies.defaults(proto, opset) | attributes, scope, inside)

    def _call(
        self, proto: NodeProto, function: FunctionProto, attributes: Attributes, scope: Scope, inside: Scope
    ) -> None:
        """Converts a function's body in place of the node; ``inside`` gives the names of the body's nodes.

        Raises:
            NotConvertible: a node of the body cannot be converted; the message names the node.
        """
        if scope.depth >= MAX_DEPTH:
            raise FormatProblem(f"nested calls of functions are more than {MAX_DEPTH} deep", _place(proto))
        defaults = {a.name: a for a in function.attribute_proto}
        opsets = {**scope.opsets, **{e.domain: e.version for e in function.opset_import}}
        inner = replace(
            inside,
            opsets=opsets,
            values={f: scope.values[n] for f, n in zip(function.input, proto.input, strict=False) if n},
            lost=set(),
            declared=declared_types(function.value_info),
            function=defaults | attributes,
            depth=scope.depth + 1,
        )
        # Optional inputs that are left out have no name outside, but nodes of the body may pass theirs on.
        absent = [f for i, f in enumerate(function.input) if i >= len(proto.input) or not proto.input[i]]
        before = len(self.rejections)
        self.convert([_without(node, absent) for node in function.node], inner)
        self._leave(proto, function, inner, scope, before)

    def _leave(self, proto: NodeProto, function: FunctionProto, inner: Scope, scope: Scope, before: int) -> None:
        inside = self.rejections[before:]
        del self.rejections[before:]
        if inside:
            first = inside[0]
            raise NotConvertible(first.why, f"{first.operator} in its function body: {first.reason}")
        results = [inner.values.get(name) for name in function.output]
        for name, value in zip(proto.output, results, strict=False):
            if name and value is None:
                raise NotConvertible(Why.ATTRIBUTE, f"its function gives no '{name}'")
            if name and value is not None:
                scope.values[name] = value

    def _reject(self, node: str, operator: str, domain: str, scope: Scope, rejected: NotConvertible) -> None:
        opset = scope.opsets.get(domain_name(domain), 1)
        shown = domain_name(domain) or "ai.onnx"
        self.rejections.append(
            Rejection(f"{shown}.{operator} (opset {opset})", f"'{scope.prefix}{node}'", rejected.why, rejected.reason)
        )


def _place(proto: NodeProto) -> str:
    name = proto.name or next((n for n in proto.output if n), "")
    return f"node '{name}' ({proto.op_type})"


def _without(node: NodeProto, absent: Sequence[str]) -> NodeProto:
    """The node with inputs that are absent left out."""
    if not any(name in absent for name in node.input):
        return node
    changed = NodeProto()
    changed.CopyFrom(node)
    for position, name in enumerate(node.input):
        if name in absent:
            changed.input[position] = ""
    return changed
