"""A random ONNX model that grows node by node; each node is tried on ONNX Runtime at once, with real numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

Array = np.ndarray[Any, Any]
IR_VERSION = 10
MOST_ELEMENTS = 4096
"""Of one value: models stay small."""
LARGEST = 1e4
"""Of the numbers of one value: what follows from larger ones says little."""


def plain_session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A session of ONNX Runtime that runs the operators as the model has them, on one thread."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


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
class Step:
    """A node, and the session that computes it alone."""

    node: onnx.NodeProto
    session: onnxruntime.InferenceSession
    reads: tuple[str, ...]

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the node gives, by name.

        Args:
            arrays: what it reads, and maybe more.
        """
        found = self.session.run(None, {name: arrays[name] for name in self.reads})
        return {name: np.asarray(y) for name, y in zip(filter(None, self.node.output), found, strict=True)}


class Growing:
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
        self.rng, self.opset, self.prefix = rng, opset, prefix
        self.outer = dict(outer or {})
        self.arrays: dict[str, Array] = dict(self.outer)
        self.inputs: list[str] = []
        self.constants: list[str] = []
        self.steps: list[Step] = []
        self._count = 0

    def name(self) -> str:
        """A new name."""
        self._count += 1
        return f"{self.prefix}v{self._count}"

    def input(self, array: Array) -> str:
        """A new input, with the numbers that it has when the model is judged."""
        name = self.name()
        self.inputs.append(name)
        self.arrays[name] = array
        return name

    def constant(self, array: Any, dtype: Any = None) -> str:
        """A new constant."""
        name = self.name()
        self.constants.append(name)
        self.arrays[name] = np.asarray(array, dtype)
        return name

    def numbers(self, *shape: int, dtype: Any = np.float32, scale: float = 1.0) -> Array:
        """Normally distributed numbers; integers from -8 to 7, or from 0 to 15 where there is no sign."""
        numpy_rng = np.random.default_rng(self.rng.getrandbits(32))
        kind = np.dtype(dtype)
        if kind.kind == "f":
            return np.asarray(numpy_rng.normal(size=shape) * scale).astype(kind)
        if kind.kind == "b":
            return np.asarray(numpy_rng.random(shape) < 0.5)
        return np.asarray(numpy_rng.integers(0, 16, shape) - (8 if kind.kind == "i" else 0)).astype(kind)

    def pick(self, *kinds: Any, where: Callable[[Array], bool] = lambda array: True) -> str | None:
        """The name of a value of one of the element types; recent values are likelier. None: there is none.

        Args:
            kinds: element types; none for float32.
            where: what else must hold of it.
        """
        wanted = {np.dtype(kind) for kind in kinds or (np.float32,)}
        known = [name for name, x in self.arrays.items() if x.dtype in wanted and name not in self.constants]
        fitting = [name for name in known if where(self.arrays[name])]
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.6 else fitting)

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
        if step is None:
            return []
        try:
            found = step.outputs(self.arrays)
        except Exception:  # the choice did not fit the operator
            return []
        if not all(is_of_use(array) for array in found.values()):
            return []
        self.steps.append(step)
        self.arrays.update(found)
        return names

    def _tried(self, node: onnx.NodeProto) -> Step | None:
        reads = tuple(names_read(node))
        values = [value_info(name, self.arrays[name]) for name in reads]
        results = [onnx.ValueInfoProto(name=name) for name in node.output]
        try:
            model = self._model(helper.make_graph([node], "one", values, results))
            return Step(node, plain_session(model), reads)
        except Exception:  # there is no such variant of the operator
            return None

    def _model(self, graph: onnx.GraphProto) -> onnx.ModelProto:
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def unread(self) -> list[str]:
        """The results that nothing reads, in order."""
        read = {name for step in self.steps for name in step.reads}
        return [name for step in self.steps for name in step.node.output if name and name not in read]

    def body(self, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> onnx.GraphProto:
        """What has grown, as the graph of an attribute."""
        return helper.make_graph(
            [step.node for step in self.steps],
            name,
            [value_info(each, self.arrays[each]) for each in inputs],
            [value_info(each, self.arrays[each], [None] * self.arrays[each].ndim) for each in outputs],
            [numpy_helper.from_array(self.arrays[each], each) for each in self.constants],
        )

    def model(self, outputs: Sequence[str], open_dims: Mapping[str, Sequence[int | str]]) -> onnx.ModelProto:
        """What has grown, as a model.

        Args:
            outputs: their names.
            open_dims: the dimensions of inputs that are declared in another way than they are.
        """
        graph = helper.make_graph(
            [step.node for step in self.steps],
            "random",
            [value_info(name, self.arrays[name], open_dims.get(name)) for name in self.inputs],
            [value_info(name, self.arrays[name], [None] * self.arrays[name].ndim) for name in outputs],
            [numpy_helper.from_array(self.arrays[name], name) for name in self.constants],
        )
        return self._model(graph)


def is_of_use(array: Array) -> bool:
    """Whether a value has neither too many elements nor none, nor numbers that nothing can be told from."""
    if not 0 < array.size <= MOST_ELEMENTS or array.dtype.kind not in "fiub":
        return False
    return array.dtype.kind != "f" or bool(np.isfinite(array).all() and (np.abs(array) < LARGEST).all())


def replayed(
    steps: Sequence[Step], arrays: Mapping[str, Array], changed: Callable[[Array, str], Array]
) -> dict[str, Array]:
    """All values once more, each changed as soon as it is there.

    Vectors and numbers that are given stay as they are: scales, factors and bounds are what the model says.

    Args:
        steps: the nodes in order.
        arrays: inputs and constants, and maybe more.
        changed: what becomes of an array that an operator gives, or that is given ("").
    """
    made = {name for step in steps for name in step.node.output}
    given = {name: array for name, array in arrays.items() if name not in made}
    known = {name: changed(array, "") if array.ndim > 1 else array for name, array in given.items()}
    for step in steps:
        known.update({name: changed(y, step.node.op_type) for name, y in step.outputs(known).items()})
    return known
