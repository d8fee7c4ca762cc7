"""A random ONNX model that grows node by node; each node is tried on ONNX Runtime at once, with real numbers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from tests.random_models.steps import Array, NotAModel, Parts, Written, tried
from tests.random_models.values import Values

IR_VERSION = 10


def plain_session(content: bytes) -> onnxruntime.InferenceSession:
    """A session of ONNX Runtime that runs the operators as the model has them, on one thread."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def value_info(name: str, array: Array, dims: Sequence[int | str | None] | None = None) -> onnx.ValueInfoProto:
    """The declaration of a value; ``dims`` are the array's unless they are given."""
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, array.shape if dims is None else dims)


def names_read(node: onnx.NodeProto) -> list[str]:
    """What a node reads, what its graphs read from outside included."""
    found = dict.fromkeys(name for name in node.input if name)
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            graph = attribute.g
            inside = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
            inside |= {name for each in graph.node for name in each.output}
            reads = [name for each in graph.node for name in names_read(each)]
            reads += [value.name for value in graph.output]
            found.update(dict.fromkeys(name for name in reads if name not in inside))
    return list(found)


@dataclass(frozen=True)
class OnnxStep:
    """A node, and the session that computes it alone; see ``Step``."""

    node: onnx.NodeProto
    session: onnxruntime.InferenceSession
    reads: tuple[str, ...]

    @property
    def operator(self) -> str:
        """The operator's name."""
        return str(self.node.op_type)

    @property
    def gives(self) -> tuple[str, ...]:
        """The names of its results."""
        return tuple(name for name in self.node.output if name)

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the node gives, by name."""
        found = self.session.run(None, {name: arrays[name] for name in self.reads})
        return {name: np.asarray(y) for name, y in zip(self.gives, found, strict=True)}


@dataclass(frozen=True)
class OnnxWriter:
    """Files of ONNX, judged by ONNX Runtime without optimization; see ``Writer``."""

    opset: int
    suffix: str = ".onnx"

    def write(self, parts: Parts) -> Written:
        """The model of some nodes."""
        graph = helper.make_graph(
            [step.node for step in parts.steps if isinstance(step, OnnxStep)],
            "random",
            [value_info(name, array, parts.open_dims.get(name)) for name, array in parts.inputs.items()],
            [value_info(name, parts.arrays[name], [None] * parts.arrays[name].ndim) for name in parts.outputs],
            [numpy_helper.from_array(array, name) for name, array in parts.constants.items()],
        )
        return Written(self.model(graph).SerializeToString(), list(parts.inputs), parts.outputs)

    def model(self, graph: onnx.GraphProto) -> onnx.ModelProto:
        """A graph as a model."""
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def run(self, written: Written, parts: Parts) -> list[Array]:
        """What ONNX Runtime gives."""
        try:
            return [np.asarray(y) for y in plain_session(written.content).run(None, dict(parts.inputs))]
        except Exception as e:
            raise NotAModel from e

    def text(self, content: bytes) -> str:
        """The model in ONNX's textual form."""
        return str(onnx.printer.to_text(onnx.load_from_string(content)))


class Growing(Values):
    """A graph that grows.

    Args:
        rng: decides everything.
        opset: the release of ONNX's operators.
        outer: values of the graph around, for the body of a loop or branch.
        prefix: of all names.
    """

    def __init__(
        self, rng: random.Random, opset: int, outer: Mapping[str, Array] | None = None, prefix: str = ""
    ) -> None:
        super().__init__(rng, prefix)
        self.opset, self.writer = opset, OnnxWriter(opset)
        self.outer = dict(outer or {})
        self.arrays.update(self.outer)
        self.steps: list[OnnxStep] = []

    def node(self, op: str, inputs: Sequence[str], outputs: int = 1, domain: str = "", **attributes: Any) -> list[str]:
        """Adds a node if ONNX Runtime takes it, and what it gives is of use; gives the names of its outputs, or none.

        Args:
            op: the operator.
            inputs: names; "" for an input that is left out.
            outputs: how many it has.
            domain: of the operator.
            attributes: of the node.
        """
        names = [self.name() for _ in range(outputs)]
        node = helper.make_node(op, inputs, names, name=f"{self.prefix}n{len(self.steps)}", domain=domain, **attributes)
        step = self._tried(node)
        found = None if step is None else tried(step, self.arrays)
        if step is None or found is None:
            return []
        self.steps.append(step)
        self.arrays.update(found)
        return names

    def _tried(self, node: onnx.NodeProto) -> OnnxStep | None:
        reads = tuple(names_read(node))
        values = [value_info(name, self.arrays[name]) for name in reads]
        results = [onnx.ValueInfoProto(name=name) for name in node.output]
        try:
            model = self.writer.model(helper.make_graph([node], "one", values, results))
            return OnnxStep(node, plain_session(model.SerializeToString()), reads)
        except Exception:  # there is no such variant of the operator
            return None

    def body(self, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> onnx.GraphProto:
        """What has grown, as the graph of an attribute."""
        return helper.make_graph(
            [step.node for step in self.steps],
            name,
            [value_info(each, self.arrays[each]) for each in inputs],
            [value_info(each, self.arrays[each], [None] * self.arrays[each].ndim) for each in outputs],
            [numpy_helper.from_array(self.arrays[each], each) for each in self.constants],
        )
