"""RunScope: the tensors of a run, or of a body in it, while they are written into a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ...delegate import RejectCode
from ...formats.tflite.export import GraphWriter, Quantization, TfliteTensor, TfliteWriter
from ...ir import has_numpy, to_numpy
from ...semantics.quantization import params_of
from ...tensors.tensor import Tensor
from ..lowering import NotLowered
from .builtins import Builtins


class Kernels(Enum):
    """The kernels of LiteRT that a file is to run on, so that operators which they get wrong are written otherwise."""

    ANY = "any"
    XNNPACK = "XNNPACK"
    OWN = "LiteRT's own"


class RunScope:
    """A subgraph, and the tensors of the file that stand for tensors of the run.

    Args:
        model: the file's model, for further subgraphs.
        graph: the subgraph.
        is_tflite: whether the run comes from a TensorFlow Lite file, in which computed places are never counted from
            the end, and always inside.
        kernels: as of ``Kernels``.
    """

    def __init__(
        self,
        model: TfliteWriter,
        graph: GraphWriter,
        *,
        is_tflite: bool = False,
        kernels: Kernels = Kernels.ANY,
    ) -> None:
        self.model, self.graph, self.is_tflite, self.kernels = model, graph, is_tflite, kernels
        self.builtins = Builtins(graph)
        self._tensors: dict[Tensor, TfliteTensor] = {}

    def take(self, tensor: Tensor) -> TfliteTensor:
        """Makes a tensor of the run an input of the subgraph, under its own name."""
        made = self._made(tensor)
        made.name = self.graph.exactly(tensor.name or "input")
        self.graph.inputs.append(made)
        self._tensors[tensor] = made
        return made

    def define(self, tensor: Tensor, made: TfliteTensor) -> None:
        """Says which tensor of the file stands for a tensor of the run."""
        self._tensors[tensor] = made

    def value(self, tensor: Tensor) -> TfliteTensor:
        """The tensor of the file for a tensor of the run; a constant is added when it is asked for first."""
        found = self._tensors.get(tensor)
        if found is None:
            if not tensor.is_const:
                found = self._made(tensor)
            else:
                array = tensor.data if tensor.held is None else tensor.held
                found = self.builtins.constant(array, quantization_of(tensor), tensor.name or "constant")
            self._tensors[tensor] = found
        return found

    def output(self, tensor: Tensor) -> TfliteTensor:
        """A tensor of the file that an operator is to give for a tensor of the run."""
        made = self._made(tensor)
        self._tensors[tensor] = made
        return made

    def _made(self, tensor: Tensor) -> TfliteTensor:
        if not has_numpy(tensor.dtype):
            rule, found = "tensors must hold numbers or bools", f"'{tensor.name}' is {tensor.dtype.name}"
            raise NotLowered(RejectCode.DTYPE, rule, found, tensor.dtype)
        if tensor.extents is None:
            raise NotLowered(RejectCode.SHAPE, "ranks must be known", f"that of '{tensor.name}' is not")
        dtype = to_numpy(tensor.dtype).name
        name = tensor.name or "value"
        return self.graph.tensor(name, dtype, tensor.extents, quantization_of(tensor))

    def finish(self, outputs: Sequence[Tensor]) -> None:
        """Makes tensors of the run the outputs of the subgraph, each with a tensor of its own and its own name."""
        given = set(self.graph.inputs)
        for tensor in outputs:
            x, name = self.value(tensor), self.graph.exactly(tensor.name or "output")
            if x in given or x.data is not None:
                x = self.builtins.copied(x, self.graph.tensor(name, x.dtype, x.shape, x.quantization))
            x.name = name
            given.add(x)
            self.graph.outputs.append(x)


def quantization_of(tensor: Tensor, axis: int | None = None) -> Quantization | None:
    """The meaning of a tensor's integers; None without one.

    Args:
        tensor: of the run.
        axis: that several scales lie along; None: the first one of as many elements.
    """
    found = params_of(tensor)
    if not found or tensor.dtype.name not in ("INT8", "UINT8", "INT16", "INT32"):
        return None
    if axis is None:
        axis = next((place for place, dim in enumerate(tensor.shape) if dim == len(found)), 0)
    if len(found) > 1 and (axis >= len(tensor.shape) or tensor.shape[axis] != len(found)) and not tensor.is_const:
        return None
    return Quantization(tuple(float(p.scale) for p in found), tuple(int(p.zero_point) for p in found), axis)
