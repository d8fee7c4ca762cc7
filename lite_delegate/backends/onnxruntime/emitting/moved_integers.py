"""Integers that move between DequantizeLinear and QuantizeLinear, as compilers for NPUs want them.

Such compilers give a tensor of integers the parameters of the quantization beside it. A Transpose of bare integers,
which the lowering writes between two layouts, has none, and they leave it and the convolution behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...lowering import Dtype, Term
from ...rewriting import Handle, Recorder, WrittenOperator, constant_term, written_by

MOVES = ("Transpose", "Reshape")
"""Operators that bring integers from one layout into another."""
QUANTIZED = (np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int16), np.dtype(np.uint16))
FLOAT32 = np.dtype(np.float32)
Readers = Mapping[Handle, Sequence[WrittenOperator]]
Parameters = tuple[Term, ...]
"""Scale and zero point."""
WITH_ZERO = 2


def wants_parameters(provider: str) -> bool:
    """Whether a provider takes moved integers with the parameters of their quantization alone."""
    return provider == "QNNExecutionProvider"


def move_as_real(record: Recorder, *, is_alone: bool = False) -> int:
    """Puts each move of integers, or of the numbers that integers stand for, between both operators.

    The integers come out as they went in: quantizing a dequantized integer by the same parameters gives the integer.

    Args:
        record: the operators.
        is_alone: whether neighbours, which tell the parameters of a move, may be missing: integers stand for themselves
            then.

    Returns:
        The number of moves that were rewritten.
    """
    known: dict[Handle, Parameters] = {}
    readers, count = record.readers(), 0
    for node in list(record.nodes):
        x = node.operands[0] if node.operands else None
        if node.op == "QuantizeLinear":
            known[_result(node)] = _parameters(node)
        if node.op not in MOVES or x is None or x.constant is not None:
            continue
        old, source, stored = node, _dequantized(x), _quantizing(node, readers)
        if x.dtype in QUANTIZED:
            parameters = known.get(x.handle) or _read_with(x.handle, readers) or _read_with(_result(node), readers)
            if not parameters and is_alone:
                parameters = (constant_term(np.array(1, FLOAT32)), constant_term(np.array(0, x.dtype)))
            new = _as_real(node, x, parameters)
        elif source is not None and stored is None:
            dtype, parameters = source
            new = _stored_behind(node, dtype, parameters)
        elif source is None and stored is not None:
            old, parameters = stored, _parameters(stored)
            new = _stored_before(node, x, stored)
        else:
            continue
        if _is_for_all(parameters):
            known[_result(old)] = parameters
            record.put(old, new)
            count += 1
    return count


def _is_for_all(parameters: Parameters) -> bool:
    """Whether parameters are one constant scale and zero point, for real numbers of float32."""
    is_known = all(each.constant is not None and each.shape == () for each in parameters)
    return len(parameters) == WITH_ZERO and is_known and parameters[0].dtype == FLOAT32


def _dequantized(x: Term) -> tuple[Dtype, Parameters] | None:
    """The type and the parameters of the integers that a term is read from; None for other terms."""
    maker: WrittenOperator | None = x.handle.maker
    if maker is None or maker.op != "DequantizeLinear" or maker.operands[0] is None:
        return None
    return maker.operands[0].dtype, _parameters(maker)


def _quantizing(node: WrittenOperator, readers: Readers) -> WrittenOperator | None:
    """The only reader of a move, which makes integers of its results; None where there is another reader."""
    reading = readers.get(_result(node), ())
    return reading[0] if len(reading) == 1 and reading[0].op == "QuantizeLinear" else None


def _read_with(handle: Handle, readers: Readers) -> Parameters:
    """The parameters that integers are read with, behind any moves; () where nothing tells them."""
    for node in readers.get(handle, ()):
        if node.op == "DequantizeLinear":
            return _parameters(node)
        if node.op in MOVES and (found := _read_with(_result(node), readers)):
            return found
    return ()


def _parameters(node: WrittenOperator) -> Parameters:
    return tuple(term for term in node.operands[1:] if term is not None)


def _result(node: WrittenOperator) -> Handle:
    handle: Handle = node.results[0].handle
    return handle


def _as_real(node: WrittenOperator, x: Term, parameters: Parameters) -> list[WrittenOperator]:
    """A move of integers as a move of real numbers."""
    moved = node.results[0]
    real = written_by(node.layer, "DequantizeLinear", [x, *parameters], [(FLOAT32, x.shape)], {})
    operands = [real.results[0], *node.operands[1:]]
    move = written_by(node.layer, node.op, operands, [(FLOAT32, moved.shape)], node.attributes)
    return [real, move, _stored(move, moved.dtype, parameters)]


def _stored_behind(node: WrittenOperator, dtype: Dtype, parameters: Parameters) -> list[WrittenOperator]:
    """A move of real numbers whose results are integers in between."""
    spec = (FLOAT32, node.results[0].shape)
    move = written_by(node.layer, node.op, node.operands, [spec], node.attributes)
    stored = _stored(move, dtype, parameters)
    real = written_by(node.layer, "DequantizeLinear", [stored.results[0], *parameters], [spec], {})
    return [move, stored, real]


def _stored_before(node: WrittenOperator, x: Term, stored: WrittenOperator) -> list[WrittenOperator]:
    """Integers that real numbers become before a move already, in place of those that they become behind it."""
    dtype, parameters = stored.results[0].dtype, _parameters(stored)
    before = written_by(node.layer, "QuantizeLinear", [x, *parameters], [(dtype, x.shape)], {})
    real = written_by(node.layer, "DequantizeLinear", [before.results[0], *parameters], [(FLOAT32, x.shape)], {})
    operands, spec = [real.results[0], *node.operands[1:]], (FLOAT32, node.results[0].shape)
    move = written_by(node.layer, node.op, operands, [spec], node.attributes)
    return [before, real, move, _stored(move, dtype, parameters)]


def _stored(move: WrittenOperator, dtype: Dtype, parameters: Parameters) -> WrittenOperator:
    moved = move.results[0]
    return written_by(move.layer, "QuantizeLinear", [moved, *parameters], [(dtype, moved.shape)], {})
