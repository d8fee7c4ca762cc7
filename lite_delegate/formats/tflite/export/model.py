"""TfliteWriter: a file's subgraphs, signatures and buffers as one flatbuffer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....flatbuffer.decoder import MAX_SIZE, UnionMember
from ....flatbuffer.encoder import Bytes, encode_in_pieces
from ....flatbuffer.schema import Record
from ..package import require_tflite
from ..tensors.layout import enum_names, tflite_schema
from .file import ALIGNMENT, TfliteFile
from .graph import OPTIONS, GraphWriter, Written
from .tensors import Quantization, TfliteTensor, tensor_type_of

FORMAT_VERSION = 3
DESCRIPTION = "lite_delegate"
_ABSENT = -1
"""The position of an operand that is absent."""
_LAST_OF_A_BYTE = 127
"""Numbers of operators above this one do not fit the field that older readers look at."""
_HEADROOM = 1 << 24
"""More than what a file holds besides its constants, as a rule."""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenSignature:
    """SignatureNames for the inputs and outputs of a subgraph.

    Attributes:
        key: of the signature.
        inputs: by name.
        outputs: by name.
    """

    key: str
    inputs: Mapping[str, TfliteTensor]
    outputs: Mapping[str, TfliteTensor]


class TfliteWriter:
    """A model that is being written.

    Args:
        limit: the most bytes of a flatbuffer; constants of larger models come behind it.

    Raises:
        LiteDelegateError: the package ``tflite`` is not installed.
    """

    def __init__(self, limit: int = MAX_SIZE) -> None:
        require_tflite()
        self._limit = limit
        self._graphs: list[GraphWriter] = []
        self._signatures: list[WrittenSignature] = []
        self._codes: dict[tuple[str, int, str], int] = {}
        self._buffers: list[Bytes] = []
        self._places: dict[tuple[int, int], int] = {}
        self._kept: list[Any] = []

    def graph(self, name: str) -> GraphWriter:
        """A new subgraph; the first one is the model."""
        self._graphs.append(GraphWriter(name))
        return self._graphs[-1]

    @property
    def graphs(self) -> Sequence[GraphWriter]:
        """All subgraphs."""
        return self._graphs

    def place(self, graph: GraphWriter) -> int:
        """The number by which operators call a subgraph."""
        return self._graphs.index(graph)

    def signature(self, key: str, inputs: Mapping[str, TfliteTensor], outputs: Mapping[str, TfliteTensor]) -> None:
        """Adds a signature of the first subgraph."""
        self._signatures.append(WrittenSignature(key, inputs, outputs))

    def finish(self) -> TfliteFile:
        """The file.

        Raises:
            TooLarge: it is too large without its constants.
        """
        subgraphs = [self._subgraph(graph) for graph in self._graphs]
        places = {tensor: place for place, tensor in enumerate(self._graphs[0].tensors())}
        root = {
            "version": FORMAT_VERSION,
            "operator_codes": [_code(*code) for code in self._codes],
            "subgraphs": subgraphs,
            "description": DESCRIPTION,
            "signature_defs": [_signature(each, places) for each in self._signatures],
        }
        if sum(data.size + ALIGNMENT for data in self._buffers) + _HEADROOM > self._limit:
            return self._behind(root)
        buffers = [{}, *({"data": data} for data in self._buffers)]
        return self._file({**root, "buffers": buffers})

    def _file(self, root: Record, behind: Sequence[tuple[int, Bytes]] = ()) -> TfliteFile:
        main = self._graphs[0]
        inputs, outputs = (tuple(tensor.name for tensor in each) for each in (main.inputs, main.outputs))
        return TfliteFile(encode_in_pieces(root, tflite_schema()), inputs, outputs, behind)

    def _behind(self, root: Record) -> TfliteFile:
        """The file with constants behind its flatbuffer; offsets take the same room whatever they are."""
        room = self._encoded(root, ALIGNMENT)
        start = sum(len(piece) for piece in room.flatbuffer.pieces())
        return self._encoded(root, start)

    def _encoded(self, root: Record, start: int) -> TfliteFile:
        behind, end = [], start
        for data in self._buffers:
            offset = -(-end // ALIGNMENT) * ALIGNMENT
            behind.append((offset, data))
            end = offset + data.size
        buffers = [{}, *({"offset": offset, "size": data.size} for offset, data in behind)]
        return self._file({**root, "buffers": buffers}, behind)

    def _subgraph(self, graph: GraphWriter) -> Record:
        tensors = graph.tensors()
        places = {tensor: place for place, tensor in enumerate(tensors)}
        return {
            "tensors": [self._tensor(tensor) for tensor in tensors],
            "inputs": _positions(graph.inputs, places),
            "outputs": _positions(graph.outputs, places),
            "operators": [self._operator(written, places) for written in graph.operators],
            "name": graph.name,
        }

    def _tensor(self, tensor: TfliteTensor) -> Record:
        record: Record = {
            "name": tensor.name,
            "type": tensor_type_of(tensor.dtype),
            "shape": np.array([max(dim, 1) if dim < 0 else dim for dim in tensor.shape], np.int32),
            "buffer": 0 if tensor.data is None else self._buffer(tensor.data),
            "has_rank": tensor.has_rank,
        }
        signature = tensor.shape if tensor.signature is None else tensor.signature
        if any(dim < 0 for dim in signature):
            record["shape_signature"] = np.array(signature, np.int32)
        if tensor.quantization is not None:
            record["quantization"] = _quantization(tensor.quantization)
        return record

    def _buffer(self, array: np.ndarray[Any, Any]) -> int:
        """The buffer of a constant; constants that are views of the same bytes share it."""
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        key = (data.__array_interface__["data"][0], data.size)
        if key not in self._places:
            self._kept.append(data)  # so that no other array gets its address
            self._buffers.append(data)
            self._places[key] = len(self._buffers)
        return self._places[key]

    def _operator(self, written: Written, places: Mapping[TfliteTensor, int]) -> Record:
        use = written.use
        record: Record = {
            "opcode_index": self._codes.setdefault((use.kind, written.version, written.custom), len(self._codes)),
            "inputs": _positions(use.inputs, places),
            "outputs": _positions(use.outputs, places),
        }
        if OPTIONS in use.options and written.custom:
            record["custom_options"] = np.frombuffer(use.options[OPTIONS], np.uint8)
        if written.table:
            second = written.table in tflite_schema().unions["BuiltinOptions2"]
            record["builtin_options2" if second else "builtin_options"] = UnionMember(written.table, dict(use.options))
        return record


def _code(kind: str, version: int, custom: str) -> Record:
    number = _number("BuiltinOperator", kind)
    return {
        **({"custom_code": custom} if custom else {}),
        "deprecated_builtin_code": min(number, _LAST_OF_A_BYTE),
        "version": version,
        "builtin_code": number,
    }


def _number(enum: str, name: str) -> int:
    return next(number for number, each in enum_names(enum).items() if each == name)


def _positions(
    tensors: Sequence[TfliteTensor | None], places: Mapping[TfliteTensor, int]
) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array([_ABSENT if tensor is None else places[tensor] for tensor in tensors], np.int32)


def _quantization(found: Quantization) -> Record:
    return {
        "scale": np.array(found.scales, np.float32),
        "zero_point": np.array(found.zero_points, np.int64),
        "quantized_dimension": found.axis,
    }


def _signature(found: WrittenSignature, places: Mapping[TfliteTensor, int]) -> Record:
    return {
        "inputs": [{"name": name, "tensor_index": places[tensor]} for name, tensor in found.inputs.items()],
        "outputs": [{"name": name, "tensor_index": places[tensor]} for name, tensor in found.outputs.items()],
        "signature_key": found.key,
    }
