"""Specs of single values, worked out as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lite_delegate_kernels import ArraySpec, KernelInputError, spec_of
from lite_delegate_kernels.built_in import built_in_kernels

from ...ir import Node, Value, has_numpy, to_numpy
from ...shapes.finding import kernel_for
from ...shapes.quantization import runs_on_integers
from .inference_memory import infer


class ValueSpecs:
    """Specs of values, each inferred once and only when it is needed.

    Where a node's outputs cannot be inferred, its readers are inferred from the specs that the file declares.

    Args:
        variables: values that are no constants although they have contents.
    """

    def __init__(self, variables: frozenset[Value] = frozenset()) -> None:
        self._variables = variables
        self._inferred: dict[Value, ArraySpec | None] = {}
        self._rejections: dict[Node, str] = {}

    def inferred(self, value: Value, makers: Mapping[Value, Node]) -> ArraySpec | None:
        """The kernels' spec of a value; None for one that no node gives, and where no kernel says.

        Args:
            value: any value of the graph.
            makers: the graph's ``producers()``.
        """
        waiting = [value]
        while waiting:
            node = makers.get(waiting[-1])
            if node is None or waiting[-1] in self._inferred:
                waiting.pop()
                continue
            before = [v for v in node.inputs if v is not None and v in makers and v not in self._inferred]
            if before:
                waiting += before
            else:
                self._infer(node)
        return self._inferred.get(value)

    def rejection(self, node: Node) -> str | None:
        """Why the kernel of a node rejects its inputs; None where it accepts them, and where no kernel exists."""
        return self._rejections.get(node)

    def forget(self, values: Iterable[Value]) -> None:
        """Lets values be inferred anew, which other nodes give now."""
        for value in values:
            self._inferred.pop(value, None)

    def _infer(self, node: Node) -> None:
        self._inferred.update(dict.fromkeys(node.outputs))
        inputs = [self._input(v) for v in node.inputs]
        missing = any(v is not None and spec is None for v, spec in zip(node.inputs, inputs, strict=True))
        first = inputs[0] if inputs else None
        kernel = kernel_for(built_in_kernels(), node, quantized=runs_on_integers(node, first))
        if kernel is None or missing:
            return
        found = infer(node, kernel, inputs)
        if isinstance(found, KernelInputError):
            self._rejections[node] = str(found)
        else:
            self._inferred.update(zip(node.outputs, found, strict=False))

    def _input(self, value: Value | None) -> ArraySpec | None:
        if value is None:
            return None
        if value.data is not None and value not in self._variables and not value.is_parameter:
            return spec_of(value.data) if has_numpy(value.dtype) else None
        found = self._inferred.get(value)
        if found is not None or not has_numpy(value.dtype):
            return found
        return ArraySpec(to_numpy(value.dtype), value.shape)
