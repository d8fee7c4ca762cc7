"""The emitter of ONNX files: inputs and outputs under the model's names, large constants beside the file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ...errors import GraphError
from ...formats.onnx.export import ModelWriter, Outside, in_release
from ...formats.onnx.export.wire import Pieces
from ...ir import from_numpy
from ...tensors.tensor import Array
from ..lowering import OPSET, THROUGH, Attributes, Dtype, Inner, NotLowered, Shape, Spec, Term
from ..lowering.inner import WITH_GRAPHS, inner_graphs, own_operands
from ..onnxruntime.emitting.emitter import letter_types, names_of, with_cast
from ..onnxruntime.emitting.narrow import IN_ONNX, check_narrow, narrowing
from .types import TYPES

MAX_BYTES = 2**31 - 1
"""No file of the format may be larger: protobuf's limit for a message."""
ALIGNMENT = 4096
"""Of contents in the file beside the model, so that they can be mapped."""


@dataclass(frozen=True, slots=True)
class OnnxFile:
    """An ONNX model, not written yet.

    Attributes:
        pieces: the file's contents, in parts.
        beside: offsets and contents of constants that are in the file beside it.
    """

    pieces: Pieces
    beside: Sequence[tuple[int, Array]]

    def in_release(self, opset: int) -> OnnxFile:
        """The model in a release of the operators, see ``formats.onnx.export.in_release``.

        Raises:
            InputError: models cannot be written in the release.
            GraphError: the release cannot say a node, which the message names.
            LiteDelegateError: the package ``onnx`` is not installed.
        """
        return self if opset == OPSET else OnnxFile([in_release(b"".join(self.pieces), opset)], self.beside)


class FileEmitter:
    """Writes one ONNX model with its constants.

    Args:
        name: of the graph.
        taken: names that are inputs and outputs of the model, and nothing else.
        location: of the file beside the model.
        threshold: constants of at least as many bytes are there; None: all are in the model.
    """

    takes_unknown = True

    def __init__(self, name: str, taken: Collection[str], location: str, threshold: int | None) -> None:
        self._writer = ModelWriter(name, OPSET)
        self._taken = set(taken)
        self._location, self._threshold = location, threshold
        self._beside: list[tuple[int, Array]] = []
        self._end = 0
        self.layer = ""

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Checks that ONNX's operator takes these element types.

        Raises:
            NotLowered: it does not.
        """
        if op in WITH_GRAPHS:
            return
        check_narrow(attributes, IN_ONNX)
        found = letter_types(op, operands, results)
        for letter, dtype in found.items():
            takes = TYPES.get((op, letter))
            if takes is not None and dtype.name not in takes:
                rule = f"ONNX's {op} must take the element type"
                raise NotLowered(RejectCode.DTYPE, rule, f"takes no {dtype.name}", from_numpy(dtype))

    def input(self, name: str, dtype: Dtype, shape: Shape) -> str:
        """The name of an input, which is the model's own."""
        self._writer.input(name, dtype, shape)
        return name

    def constant(self, array: Array) -> str:
        """The name of a constant."""
        name = self._free("constant")
        if self._threshold is None or array.nbytes < self._threshold:
            self._writer.initializer(name, array)
            return name
        offset = -(-self._end // ALIGNMENT) * ALIGNMENT
        self._end = offset + array.nbytes
        self._beside.append((offset, np.ascontiguousarray(array)))
        self._writer.initializer(name, array, Outside(self._location, offset))
        return name

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[str]:
        """The names of an operator's results."""
        name = self._free(self.layer or op)
        inside = inner_graphs(attributes)
        graphs = {key: self._graph(f"{name}/{key}", inner, operands) for key, inner in inside.items()}
        if inside:
            operands = own_operands(operands, inside)
        if THROUGH in attributes:
            operands, attributes = [self._narrow(name, operands, attributes)], {}
        made = [self._free(f"{name}:{number}") for number in range(len(results))]
        self._writer.node(op, names_of(op, operands), made, {**with_cast(op, results, attributes), **graphs}, name)
        return made

    def _narrow(self, name: str, operands: Sequence[Term | None], attributes: Attributes) -> Term:
        """The operand of a Cast, in the type that the Cast goes through."""
        (x,) = operands
        assert x is not None
        made = self._free(f"{name}/narrow")
        self._writer.node("Cast", [str(x.handle)], [made], narrowing(attributes), made)
        return Term(made, x.dtype, x.shape)

    def _graph(self, name: str, inner: Inner, operands: Sequence[Term | None]) -> bytes:
        """A graph in a loop or a choice, with a node of its own for each output."""
        layer, copy = self.layer, partial(self._free, f"{name}/y")

        def write() -> None:
            given = [Term(self.input(self._free(f"{name}/x"), *spec), *spec) for spec in inner.inputs]
            for term in inner.write(self, given, operands):
                self._writer.inner_output(str(term.handle), copy, term.dtype, _dims(name, term.shape))

        content = self._writer.graph(name, write)
        self.layer = layer
        return content

    def finish(self, outputs: Sequence[tuple[str, Term]]) -> OnnxFile:
        """The file, with outputs of these names.

        Raises:
            GraphError: it is larger than the format allows.
        """
        for name, term in outputs:
            self._writer.node("Identity", [str(term.handle)], [name], {}, self._free(f"{name}/output"))
            self._writer.output(name, term.dtype, _dims(name, term.shape))
        pieces = self._writer.pieces()
        nbytes = sum(map(len, pieces))
        if nbytes > MAX_BYTES:
            raise GraphError(
                f"An ONNX file has at most {counted(MAX_BYTES, 'byte')}, this one would have {nbytes:,}: "
                "put large constants into a "
                "file beside it by --external-data-threshold."
            )
        return OnnxFile(pieces, self._beside)

    def _free(self, wanted: str) -> str:
        """A name that nothing else has."""
        found, number = wanted, 1
        while found in self._taken:
            number += 1
            found = f"{wanted}#{number}"
        self._taken.add(found)
        return found


def _dims(name: str, shape: Shape) -> list[int | str]:
    """Dimensions as the file has them: unknown ones have names of their own."""
    return [f"{name}:{axis}" if dim < 0 else dim for axis, dim in enumerate(shape)]
