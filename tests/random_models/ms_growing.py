"""A random ``.ms`` model that grows by conformance cases; the reference kernel of each node computes it alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization, as_tuple
from lite_delegate_kernels.built_in import built_in_kernels

from lite_delegate import GraphError
from lite_delegate.conformance import ConformanceCase, all_cases
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph
from lite_delegate.formats.ms import read_ms_buffer
from lite_delegate.formats.ms.writer import ms_bytes
from lite_delegate.ir import from_numpy, graph_text
from lite_delegate.ir.types.enums import QuantType
from tests.random_models.sample import QUANTIZED
from tests.random_models.steps import Array, NotAModel, Parts, Written, is_of_use, replayed, tried
from tests.random_models.values import Values

MOST_INPUTS = 5
READS_WHAT_IS_THERE = 0.8
"""How often an operand is a value of the model rather than the array of the case."""


@dataclass(frozen=True)
class MsStep:
    """A node, and the reference kernel that computes it; see ``Step``."""

    node: ChainNode
    constants: Mapping[str, Array]

    @property
    def operator(self) -> str:
        """The operator's name, marked where its results are quantized."""
        return self.node.op_type if self.node.quantization is None else f"{QUANTIZED}{self.node.op_type}"

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of its operands, each once."""
        return tuple(dict.fromkeys(name for name in self.node.inputs if name is not None))

    @property
    def gives(self) -> tuple[str, ...]:
        """The names of its results."""
        return self.node.outputs

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the node gives, by name. Constants are those of the file, whatever ``arrays`` has."""
        known, quantization = {**arrays, **self.constants}, self.node.quantization
        first = known[str(self.node.inputs[0])]
        on_integers = quantization is not None and first.dtype == np.int8
        kernel = built_in_kernels().find(self.node.op_type, quantized=on_integers)
        assert kernel is not None
        given = [None if name is None else known[name].copy() for name in self.node.inputs]
        more: dict[str, object] = {"output_count": len(self.gives)} if kernel.needs_output_count else {}
        if kernel.needs_quantization:
            more["quantization"] = quantization
        with np.errstate(all="ignore"):
            found = as_tuple(kernel.run(*given, **self.node.attributes, **more))
        return dict(zip(self.gives, map(np.asarray, found), strict=True))


class MsGrowing(Values):
    """A graph that grows.

    Args:
        rng: decides everything.

    Attributes:
        parameters: what integers stand for, by names of values.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.steps: list[MsStep] = []
        self.parameters: dict[str, Quantization] = {}

    def grow(self) -> None:
        """Adds the node of a random case, which reads what is there where that can be brought to its shapes."""
        case = self.rng.choice(_cases()[self.rng.choice(list(_cases()))])
        operands = [None if x is None else self._operand(x, i in case.constants) for i, x in enumerate(case.inputs)]
        self.node(case.op_type, operands, len(case.outputs), case.attributes)

    def node(
        self,
        op: str,
        inputs: Sequence[str | None],
        count: int,
        attributes: Mapping[str, object],
        quantization: NodeQuantization | None = None,
        wanted: Callable[[Array], bool] = lambda array: True,
    ) -> tuple[str, ...]:
        """Adds a node if its kernel takes it, and what it gives is of use; gives the names of its outputs, or none.

        Args:
            op, inputs, count, attributes: its operator, the names of its operands, how many outputs, its attributes.
            quantization: what integers stand for, of a node on such.
            wanted: what must hold of its outputs.
        """
        gives = tuple(self.name() for _ in range(count))
        node = ChainNode(gives[0], op, tuple(inputs), gives, attributes, quantization)
        step = MsStep(node, {name: self.arrays[name] for name in inputs if name in self.constants})
        found = tried(step, self.arrays)
        if found is None or not all(map(wanted, found.values())):
            return ()
        self.steps.append(step)
        self.arrays.update(found)
        known = [] if quantization is None else zip(gives, quantization.outputs, strict=True)
        self.parameters.update({name: each for name, each in known if each is not None})
        return gives

    def _operand(self, array: Array, is_constant: bool) -> str:
        """The name of something of an array's type and shape."""
        if not is_constant and array.dtype.kind == "f" and self.rng.random() < READS_WHAT_IS_THERE:
            found = self.pick(array.dtype, where=lambda known: known.size > 0)
            shaped = None if found is None else self._shaped(found, array.shape)
            if shaped is not None:
                return shaped
        is_input = not is_constant and len(self.inputs) < MOST_INPUTS
        return self.input(array) if is_input else self.constant(array)

    def _shaped(self, name: str, shape: tuple[int, ...]) -> str | None:
        """A value's numbers in another shape, as often as it takes; None: it takes too many."""
        array, size = self.arrays[name], math.prod(shape)
        if array.shape == shape:
            return name
        if array.size != size:
            flat = self._reshaped(name, (array.size,))
            places = self.constant(np.arange(size) % array.size, np.int32)
            given = self.node("Gather", [flat, places, self.constant(0, np.int32)], 1, {})
            if not given:
                return None
            (name,) = given
        return self._reshaped(name, shape)

    def _reshaped(self, name: str, shape: tuple[int, ...]) -> str:
        if self.arrays[name].shape == shape:
            return name
        (given,) = self.node("Reshape", [name, self.constant(shape, np.int32)], 1, {}) or (name,)
        return given


@cache
def _cases() -> Mapping[str, Sequence[ConformanceCase]]:
    """The cases of real numbers, integers and truth values by operator."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        arrays = [*(x for x in case.inputs if x is not None), *case.outputs]
        absent = [i for i, x in enumerate(case.inputs) if x is None]
        is_written = absent == list(range(len(case.inputs)))[len(case.inputs) - len(absent) :]
        if case.outputs and case.quantization is None and is_written and all(is_of_use(array) for array in arrays):
            found.setdefault(case.op_type, []).append(case)
    return found


@dataclass(frozen=True)
class MsWriter:
    """Files of MindSpore Lite, judged by the reference kernels, node by node; see ``Writer``."""

    suffix: str = ".ms"

    def write(self, parts: Parts) -> Written:
        """The model of some nodes."""
        nodes = tuple(step.node for step in parts.steps if isinstance(step, MsStep))
        chain = Chain("random", nodes, parts.inputs, parts.constants, tuple(parts.outputs))
        graph = chain_graph(chain)
        for node in graph.nodes:
            for value in node.outputs if node.quant_type is QuantType.QUANT_ALL else ():
                value.dtype = from_numpy(parts.arrays[value.name].dtype)  # files declare them
        for value in graph.inputs:
            dims = parts.open_dims.get(value.name)
            if dims is not None:
                value.shape = tuple(-1 if isinstance(dim, str) else dim for dim in dims)
        try:
            return Written(ms_bytes(graph), list(parts.inputs), parts.outputs)
        except GraphError as e:  # what the format cannot say: an operand that is left out before another
            raise NotAModel from e

    def run(self, written: Written, parts: Parts) -> list[Array]:
        """What the kernels give."""
        known = replayed(parts.steps, {**parts.inputs, **parts.constants}, lambda array, operator: array)
        return [known[name] for name in parts.outputs]

    def text(self, content: bytes) -> str:
        """The graph that is read."""
        return graph_text(read_ms_buffer(content))
