"""RunScope: the tensors of a run, or of a body in it, while they are written into a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ...formats.tflite.export import TEXT, GraphWriter, Quantization, TfliteTensor, TfliteWriter
from ...ir import DataType, has_numpy, to_numpy
from ...semantics.quantization import params_of
from ...tensors.strings import unpacked
from ...tensors.tensor import Tensor
from ..lowering import NotLowered
from .builtins import Builtins

OPEN = -1
"""A dimension that is known when the file runs."""


class Kernels(Enum):
    """The kernels of LiteRT that a file is to run on, so that operators which they get wrong are written otherwise."""

    ANY = "any"
    XNNPACK = "XNNPACK"
    OWN = "LiteRT's own"


@dataclass(frozen=True, slots=True)
class Purpose:
    """The use of a file.

    Attributes:
        is_tflite: whether the run comes from a TensorFlow Lite file, in which computed places are never counted from
            the end, and always inside.
        counts: whether LiteRT may work out dimensions while the file runs, and hand over text, as it does for whole
            models; the graph kernels of a delegate are planned for known dimensions of numbers.
        kernels: as of ``Kernels``.
    """

    is_tflite: bool = False
    counts: bool = False
    kernels: Kernels = Kernels.ANY


RUN = Purpose()
"""A run of a delegate, for any kernels."""


class RunScope:
    """A subgraph, and the tensors of the file that stand for tensors of the run.

    Args:
        model: the file's model, for further subgraphs.
        graph: the subgraph.
        purpose: of the file.
    """

    def __init__(self, model: TfliteWriter, graph: GraphWriter, purpose: Purpose = RUN) -> None:
        self.model, self.graph, self.purpose = model, graph, purpose
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
            found = self._constant(tensor) if tensor.is_const else self._made(tensor)
            self._tensors[tensor] = found
        return found

    def _constant(self, tensor: Tensor) -> TfliteTensor:
        array, name = tensor.data if tensor.held is None else tensor.held, tensor.name or "constant"
        if tensor.dtype == DataType.STRING:
            return self.graph.tensor(name, TEXT, (len(unpacked(array)),), None, array)
        return self.builtins.constant(array, quantization_of(tensor), name)

    def output(self, tensor: Tensor) -> TfliteTensor:
        """A tensor of the file that an operator is to give for a tensor of the run."""
        made = self._made(tensor)
        self._tensors[tensor] = made
        return made

    def _made(self, tensor: Tensor) -> TfliteTensor:
        if not has_numpy(tensor.dtype):
            rule, found = "tensors must hold numbers or bools", f"'{tensor.name}' is {tensor.dtype.name}"
            raise NotLowered(RejectCode.DTYPE, rule, found, tensor.dtype)
        dtype, name = to_numpy(tensor.dtype).name, tensor.name or "value"
        if tensor.dtype == DataType.STRING:
            return self.graph.tensor(name, TEXT, (OPEN,))
        if tensor.extents is None and not self.purpose.counts:
            raise NotLowered(RejectCode.SHAPE, "ranks must be known", f"that of '{tensor.name}' is not")
        made = self.graph.tensor(name, dtype, tensor.extents or (), quantization_of(tensor))
        made.has_rank = tensor.extents is not None
        return made

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
