"""Builder of a graph, which infers dtype and shape of every value as it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from lite_delegate_kernels import (
    UNKNOWN,
    Array,
    ArraySpec,
    KernelInputError,
    ReferenceKernel,
    as_tuple,
    spec_of,
)
from lite_delegate_kernels.built_in import built_in_kernels
from lite_delegate_kernels.custom.narrow import NARROW

from ...basics.counted import counted
from ...errors import GraphError
from ...ir import Graph, Node, Source, Value, constant, from_numpy, has_numpy, make_primitive, to_numpy
from ...ir.traits import REARRANGING
from ...shapes.attributes import kernel_attributes
from ...shapes.finding import kernel_for
from ..rejection import NotConvertible, Why

MAX_FOLDED_ELEMENTS = 1024
"""Values worked out from constants are kept up to this size: enough for shapes, axes and their arithmetic."""


class GraphBuilder:
    """Nodes in the making.

    Every value has a spec: dtype, shape as far as it is known, and the contents where they follow from constants and
    known shapes. Converters read specs to decide; nodes stay in the graph, folding them is the passes' work.

    Args:
        sources: see below.

    Attributes:
        nodes: the added nodes.
        sources: the origins of the added nodes.
        narrow: the ONNX element types of values that a wider type holds, where they are known.
    """

    def __init__(self, sources: tuple[Source, ...] = ()) -> None:
        self.nodes: list[Node] = []
        self.sources = sources
        self._specs: dict[Value, ArraySpec] = {}
        self.narrow: dict[Value, int] = {}
        self._shared: dict[tuple[str, tuple[int, ...], bytes], Value] = {}

    @contextmanager
    def nodes_of(self, source: Source) -> Iterator[None]:
        """Nodes that are added meanwhile come from ``source``."""
        before, self.sources = self.sources, (source,)
        try:
            yield
        finally:
            self.sources = before

    def input(self, name: str, dtype: np.dtype[Any], shape: Sequence[int] | None) -> Value:
        """A value that nothing gives yet: an input of the graph."""
        value = Value(name, from_numpy(dtype), None if shape is None else tuple(shape))
        self._specs[value] = ArraySpec(dtype, value.shape)
        return value

    def constant(self, name: str, data: Array) -> Value:
        """A constant that holds a view of ``data``."""
        return constant(name, data)

    def small_constant(self, contents: Array | np.generic) -> Value:
        """A constant of few elements, the same one for the same contents."""
        data = np.asarray(contents)
        key = (data.dtype.str, data.shape, data.tobytes())
        if key not in self._shared:
            self._shared[key] = constant(f"constant_{len(self._shared)}", data)
        return self._shared[key]

    def spec(self, value: Value) -> ArraySpec:
        """The spec of a value: all that is known of it."""
        found = self._specs.get(value)
        if found is None and value.data is not None:
            found = spec_of(value.data)
        if found is None:
            raise GraphError(f"Value '{value.name}' is of another graph.")
        return found

    def set_spec(self, value: Value, spec: ArraySpec) -> None:
        """States the spec of a value that no kernel gives (results of calls, for example)."""
        self._specs[value] = spec

    def add(
        self,
        op_type: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Any],
        outputs: Sequence[str],
        name: str,
    ) -> list[Value]:
        """Adds a node that a reference kernel exists for.

        Args:
            op_type: the schema's name of the operator.
            inputs: the operands in the schema's order, None where an optional one is absent.
            attributes: under the schema's names.
            outputs: the names of the results; the node has as many.
            name: the node's name.

        Raises:
            NotConvertible: the kernel does not take these dtypes, shapes or attributes.
        """
        primitive = make_primitive(op_type, **attributes)
        kernel = built_in_kernels().find(op_type)
        if kernel is None:
            raise GraphError(
                f"'{op_type}' has no reference kernel; add it with add_node and give the specs of its outputs."
            )
        specs = [None if v is None else self.spec(v) for v in inputs]
        keywords: dict[str, Any] = dict(attributes if primitive.op_type == "Custom" else primitive.attributes())
        if kernel.needs_output_count:
            keywords["output_count"] = len(outputs)
        results = _infer(kernel, specs, keywords)[: len(outputs)]
        values = [Value(n, from_numpy(s.dtype), s.shape) for n, s in zip(outputs, results, strict=True)]
        self._specs.update(zip(values, results, strict=True))
        if op_type in REARRANGING and inputs[0] is not None and len(inputs[0].quant_params) == 1:
            values[0].quant_params = inputs[0].quant_params
        self.nodes.append(Node(name, primitive, list(inputs), values, sources=self.sources))
        return values

    def add_node(self, node: Node, specs: Sequence[ArraySpec | None]) -> None:
        """Adds a node of the runtime itself (calls, lists); ``specs`` are those of its outputs, None where unknown."""
        node.sources = self.sources
        self.nodes.append(node)
        self._specs.update({v: s for v, s in zip(node.outputs, specs, strict=True) if s is not None})

    def mark_narrow(self, value: Value, elem_type: int) -> None:
        """Remembers the ONNX element type of a value where it is one that a wider type holds."""
        if elem_type in NARROW:
            self.narrow[value] = elem_type

    def graph(self, name: str, inputs: list[Value], outputs: list[Value]) -> Graph:
        """The graph of all nodes that were added."""
        return Graph(name, inputs, outputs, self.nodes)

    def declared(self, value: Value) -> ArraySpec:
        """The spec of a value by its own dtype and shape."""
        dtype = to_numpy(value.dtype) if has_numpy(value.dtype) else np.dtype(np.float32)
        return ArraySpec(dtype, value.shape)


def kernel_specs(node: Node, outputs: int, builder: GraphBuilder) -> list[ArraySpec] | None:
    """The specs of a Custom node's outputs by the kernel of its type, None where there is none.

    Raises:
        NotConvertible: the kernel does not take these dtypes, shapes or attributes.
    """
    kernel = kernel_for(built_in_kernels(), node)
    if kernel is None:
        return None
    keywords = kernel_attributes(node, kernel)
    if kernel.needs_output_count:
        keywords["output_count"] = outputs
    try:
        found = _infer(kernel, [None if v is None else builder.spec(v) for v in node.inputs], keywords)
    except TypeError as e:
        raise NotConvertible(Why.ATTRIBUTE, str(e)) from e
    if len(found) < outputs:
        raise NotConvertible(
            Why.ATTRIBUTE, f"the kernel gives {counted(len(found), 'output')}, the node lists {outputs}"
        )
    return list(found[:outputs])


def _infer(
    kernel: ReferenceKernel, specs: Sequence[ArraySpec | None], keywords: Mapping[str, Any]
) -> tuple[ArraySpec, ...]:
    first = specs[0] if specs else None
    if first is not None and first.dtype_name not in kernel.dtypes:
        raise NotConvertible(Why.DTYPE, f"{kernel.op_type} takes {', '.join(kernel.dtypes)}, found {first.dtype.name}")
    try:
        results = as_tuple(kernel.infer(*specs, **keywords))
        return _fold(kernel, specs, results, keywords)
    except KernelInputError as e:
        raise NotConvertible(Why.SHAPE, f"{kernel.op_type}: {e}") from e


def _fold(
    kernel: ReferenceKernel,
    specs: Sequence[ArraySpec | None],
    results: tuple[ArraySpec, ...],
    keywords: Mapping[str, Any],
) -> tuple[ArraySpec, ...]:
    """The specs of the results with their contents, where all operands are known and small."""
    arrays = [None if s is None else s.value for s in specs]
    if any(s is not None and s.value is None for s in specs) or not all(s.known for s in results):
        return results
    sizes = [a.size for a in arrays if a is not None] + [_count(s) for s in results]
    if sum(sizes) > MAX_FOLDED_ELEMENTS:
        return results
    with np.errstate(all="ignore"):
        values = as_tuple(kernel.run(*arrays, **keywords))
    return tuple(spec_of(np.asarray(v)) for v in values)


def _count(spec: ArraySpec) -> int:
    count = 1
    for dim in spec.shape or ():
        count *= dim
    return count


__all__ = ["UNKNOWN", "Array", "ArraySpec", "GraphBuilder"]
