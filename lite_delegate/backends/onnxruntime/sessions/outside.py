"""Constants outside of a model's bytes: taken out of an ONNX Runtime model, and put back for another file.

Only the messages around the constants are read, field by field. A message that comes twice is merged, so constants are
put back behind the model's end. Field numbers: onnx.proto of the ONNX project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....basics.data_class import dataclass
from ....formats.onnx.export import Outside, initializer_in_file
from ....formats.onnx.export.wire import Pieces, content, message
from ....formats.onnx.protobuf.fields import fields, numbers

_GRAPH, _INITIALIZER = 7, 5
_DIM, _TYPE, _NAME, _ENTRY, _PLACE, _EXTERNAL = 1, 2, 8, 13, 14, 1
_KEY, _VALUE = 1, 2


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant whose bytes are in a file.

    Attributes:
        name: in the model.
        element: number of its element type.
        dims: its dimensions.
        offset: of its first byte.
        length: bytes that it has.
    """

    name: str
    element: int
    dims: tuple[int, ...]
    offset: int
    length: int


def taken_apart(model: bytes) -> tuple[bytes, list[Constant]]:
    """A model without the constants of its main graph that are in a file, and these."""
    kept: Pieces = []
    found: list[Constant] = []
    for number, whole, value in _fields(model):
        if number != _GRAPH:
            kept.append(whole)
            continue
        inner: Pieces = []
        for part, field, tensor in _fields(value):
            constant = _constant(tensor) if part == _INITIALIZER else None
            if constant is None:
                inner.append(field)
            else:
                found.append(constant)
        kept += message(_GRAPH, inner)
    return b"".join(kept), found


def put_back(model: bytes, constants: Sequence[Constant], file: str, start: int) -> bytes:
    """A model with constants that are in a file.

    Args:
        model: the model without the constants.
        constants: the constants from ``taken_apart``.
        file: the name of the file.
        start: the position in the file that offsets count from.
    """
    tensors = [
        initializer_in_file(each.name, each.element, each.dims, Outside(file, start + each.offset), each.length)
        for each in constants
    ]
    return model + content(_GRAPH, b"".join(tensors))


def _constant(tensor: bytes) -> Constant | None:
    """The constant of a tensor; None where the tensor's bytes are in the model."""
    held: dict[int, list[bytes]] = {}
    for number, _, value in _fields(tensor):
        held.setdefault(number, []).append(value)
    if _PLACE not in held or numbers(held[_PLACE][-1]) != [_EXTERNAL]:
        return None
    dims = tuple(dim for value in held.get(_DIM, ()) for dim in numbers(value))
    (element,) = numbers(held[_TYPE][-1])
    pairs = [{part: word.decode() for part, _, word in _fields(entry)} for entry in held[_ENTRY]]
    entries = {pair[_KEY]: pair[_VALUE] for pair in pairs}
    return Constant(held[_NAME][-1].decode(), element, dims, int(entries["offset"]), int(entries["length"]))


def _fields(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The number of each field, all its bytes, and its contents; the contents of a number are its encoded bytes."""
    for field in fields(data, 0, len(data)):
        yield field.number, data[field.at : field.end], data[field.start : field.end]
