"""Forms of operators that the HTP computes, or computes rightly, in the place of those that it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import zip_longest

import numpy as np

from ..lowering import Term
from ..rewriting import Recorder, WrittenOperator, constant_term, written_by

EIGHT_BITS = (np.dtype(np.int8), np.dtype(np.uint8))
INSIDE = 0.25
"""The part of a step by which a bound lies inside the range of integers: it is rounded to the last of them."""
MOST = 4.0
"""The error function of larger numbers is 1 in float32."""
ERROR_FUNCTION = (
    1.1283791670955126,
    0.10276865108559573,
    -0.0001877260017104651,
    -0.0006260068586536641,
    9.094357987897885e-05,
    -6.356604681685461e-06,
    1.8893534092736193e-07,
)
"""Factors of ``x``, ``x**3``, ... in a polynomial whose hyperbolic tangent is the error function, up to 4e-7 of it: a
weighted least-squares fit of ``atanh(erf(x))`` up to ``MOST``. The first factor is ``2 / sqrt(pi)``, the slope at 0."""


class Replacement:
    """Operators on tensors of one shape, in the place of another operator.

    Args:
        node: the operator whose place they take.
        x: its operand.

    Attributes:
        nodes: the operators that were written.
    """

    def __init__(self, node: WrittenOperator, x: Term) -> None:
        self.nodes: list[WrittenOperator] = []
        self._layer, self._dtype, self._shape = node.layer, x.dtype, x.shape

    def write(self, op: str, *operands: Term | float) -> Term:
        """The result of one more operator; numbers become constants."""
        terms = [each if isinstance(each, Term) else constant_term(np.array(each, self._dtype)) for each in operands]
        self.nodes.append(written_by(self._layer, op, terms, [(self._dtype, self._shape)], {}))
        return self.nodes[-1].results[0]


def write_hard_sigmoids(record: Recorder) -> int:
    """Writes each HardSigmoid as Mul, Add and Clip; returns their number.

    The plugin takes none between integers, and the HTP of no particular chip none of float32.
    """
    return _replaced(record, "HardSigmoid", _hard_sigmoid)


def write_error_functions(record: Recorder) -> int:
    """Writes each Erf, which the plugin does not have, as the hyperbolic tangent of a polynomial; returns their
    number.
    """
    return _replaced(record, "Erf", _error_function)


def reach_bounds(record: Recorder) -> int:
    """Moves a bound of Clip that is not inside the range of its integers to just inside; returns the number of Clips.

    The HTP drops a Clip behind a sum or product of integers that has one bound inside their range and one that is not.
    """
    return sum(_reaches(node) for node in record.nodes if node.op == "Clip")


def write_blocks(record: Recorder) -> int:
    """Writes each SpaceToDepth, of which the HTP gives other elements, as moves of blocks between positions and
    channels; returns their number.
    """
    found = [node for node in record.nodes if node.op == "SpaceToDepth"]
    for node in found:
        x = node.operands[0]
        assert x is not None
        record.put(node, _moved_blocks(node, x))
    return len(found)


def order_equals(record: Recorder) -> int:
    """Hands each TopK its elements backwards, and counts the places from the end; returns the number of operators.

    Of equal elements the HTP gives the last ones first, where the first ones come first by definition.
    """
    found = [node for node in record.nodes if node.op == "TopK"]
    for node in found:
        _take_backwards(record, node)
    return len(found)


def count_places(record: Recorder) -> int:
    """Counts places that ScatterElements is given in a run from the start, where they may be counted from the end;
    returns the number of operators.

    The HTP drops elements whose place is below 0.
    """
    found = [node for node in record.nodes if node.op == "ScatterElements" and not _is_constant(node.operands[1])]
    for node in found:
        record.put(node, _with_counted_places(node))
    return len(found)


def give_own_weights(record: Recorder) -> int:
    """Gives each Gemm a constant of its own in the place of one that others read, too; returns their number.

    The plugin transposes the constant of a Gemm where it lies, and the others would read it transposed.
    """
    count, readers = 0, record.readers()
    for node in record.nodes:
        weight = node.operands[1] if node.op == "Gemm" else None
        if weight is not None and weight.constant is not None and len(readers[weight.handle]) > 1:
            node.operands = [node.operands[0], constant_term(weight.constant), *node.operands[2:]]
            count += 1
    return count


def move_signs(record: Recorder) -> int:
    """Writes int8 that becomes uint8 of the same meaning, or back, by real numbers in between; returns their number.

    The plugin has no Cast of these types. The real numbers are whole and below 256, which float16 holds.
    """
    moved = [node for node in record.nodes if node.op == "Cast" and _signs(node) is not None]
    for node in moved:
        x = _signs(node)
        assert x is not None
        node_of = partial(written_by, node.layer)
        before, after = (
            [constant_term(np.array(1, np.float32)), constant_term(np.array(np.iinfo(dtype.name).min, dtype))]
            for dtype in (x.dtype, node.results[0].dtype)
        )
        real = node_of("DequantizeLinear", [x, *before], [(np.dtype(np.float32), x.shape)], {})
        spec = (node.results[0].dtype, x.shape)
        record.put(node, [real, node_of("QuantizeLinear", [real.results[0], *after], [spec], {})])
    return len(moved)


def _replaced(record: Recorder, op: str, make: Callable[[WrittenOperator, Replacement, Term], None]) -> int:
    found = [node for node in record.nodes if node.op == op]
    for node in found:
        x = node.operands[0]
        assert x is not None
        chain = Replacement(node, x)
        make(node, chain, x)
        record.put(node, chain.nodes)
    return len(found)


def _hard_sigmoid(node: WrittenOperator, chain: Replacement, x: Term) -> None:
    alpha, beta = (float(str(node.attributes[name])) for name in ("alpha", "beta"))
    chain.write("Clip", chain.write("Add", chain.write("Mul", x, alpha), beta), 0.0, 1.0)


def _error_function(_: WrittenOperator, chain: Replacement, x: Term) -> None:
    held = chain.write("Clip", x, -MOST, MOST)
    square = chain.write("Mul", held, held)
    slope: Term | float = ERROR_FUNCTION[-1]
    for factor in ERROR_FUNCTION[-2::-1]:
        slope = chain.write("Add", chain.write("Mul", square, slope), factor)
    chain.write("Tanh", chain.write("Mul", held, slope))


def _moved_blocks(node: WrittenOperator, x: Term) -> list[WrittenOperator]:
    """Rows of blocks with channels last, where a block's lines are brought side by side by one Transpose of rank 4."""
    count, channels, height, width = x.shape
    block = int(str(node.attributes["blocksize"]))
    high, wide = height // block, width // block
    nodes: list[WrittenOperator] = []

    def transposed(term: Term, *perm: int) -> Term:
        shape = tuple(term.shape[axis] for axis in perm)
        nodes.append(written_by(node.layer, "Transpose", [term], [(x.dtype, shape)], {"perm": perm}))
        return nodes[-1].results[0]

    def reshaped(term: Term, *shape: int) -> Term:
        operands = [term, constant_term(np.array(shape, np.int64))]
        nodes.append(written_by(node.layer, "Reshape", operands, [(x.dtype, shape)], {}))
        return nodes[-1].results[0]

    lines = reshaped(transposed(x, 0, 2, 3, 1), count * high, block, wide, block * channels)
    blocks = reshaped(transposed(lines, 0, 2, 1, 3), count, high, wide, block * block * channels)
    transposed(blocks, 0, 3, 1, 2)
    return nodes


def _take_backwards(record: Recorder, node: WrittenOperator) -> None:
    x, count = node.operands
    assert x is not None
    values, places = node.results
    axis = int(str(node.attributes.get("axis", -1)))
    last = x.shape[axis] - 1
    backwards = constant_term(np.arange(last, -1, -1, dtype=np.int64))
    turned = written_by(node.layer, "Gather", [x, backwards], [(x.dtype, x.shape)], {"axis": axis})
    specs = [(each.dtype, each.shape) for each in node.results]
    picked = written_by(node.layer, "TopK", [turned.results[0], count], specs, node.attributes)
    operands = [constant_term(np.array(last, places.dtype)), picked.results[1]]
    counted = written_by(node.layer, "Sub", operands, specs[1:], {})
    for maker, term, place in ((picked, values, 0), (counted, places, 0)):
        maker.results = [term, *maker.results[1:]]
        term.handle.maker, term.handle.place = maker, place
    index = record.nodes.index(node)
    record.nodes[index : index + 1] = [turned, picked, counted]


def _signs(node: WrittenOperator) -> Term | None:
    """The integers of 8 bits that a Cast gives in the other type, moved by 128; None for other Casts."""
    if node.results[0].dtype not in EIGHT_BITS:
        return None
    added = _maker(node.operands[0])
    wide = None if added is None or added.op != "Add" else _maker(added.operands[0])
    x = None if wide is None or wide.op != "Cast" else wide.operands[0]
    if added is None or x is None or {x.dtype, node.results[0].dtype} != set(EIGHT_BITS):
        return None
    step = added.operands[1]
    expected = 128 if x.dtype.kind == "i" else -128
    is_moved = step is not None and step.constant is not None and step.shape == () and int(step.constant) == expected
    return x if is_moved else None


def _maker(term: Term | None) -> WrittenOperator | None:
    maker: WrittenOperator | None = None if term is None else term.handle.maker
    return maker


def _with_counted_places(node: WrittenOperator) -> list[WrittenOperator]:
    x, places, updates = node.operands
    assert x is not None
    assert places is not None
    size, spec = x.shape[int(str(node.attributes.get("axis", 0)))], (places.dtype, places.shape)
    none, all_ = (constant_term(np.array(each, places.dtype)) for each in (0, size))
    below = written_by(node.layer, "Less", [places, none], [(np.dtype(bool), places.shape)], {})
    added = written_by(node.layer, "Add", [places, all_], [spec], {})
    counted = written_by(node.layer, "Where", [below.results[0], added.results[0], places], [spec], {})
    specs = [(each.dtype, each.shape) for each in node.results]
    operands = [x, counted.results[0], updates]
    return [below, added, counted, written_by(node.layer, node.op, operands, specs, node.attributes)]


def _is_constant(term: Term | None) -> bool:
    return term is not None and term.constant is not None


def _reaches(node: WrittenOperator) -> bool:
    """Moves the bounds of one Clip, where one is inside the range of its integers and one is not."""
    x, *bounds = node.operands
    integers = None if x is None else _range(x)
    if x is None or integers is None or any(each is not None and each.constant is None for each in bounds):
        return False
    scale, least, most = integers
    low, high = (_number(each, none) for each, none in zip_longest(bounds, (-math.inf, math.inf)))
    if (low <= least) == (high >= most):
        return False
    moved = max(low, least + INSIDE * scale), min(high, most - INSIDE * scale)
    node.operands = [x, *(constant_term(np.array(each, x.dtype)) for each in moved)]
    return True


def _range(x: Term) -> tuple[float, float, float] | None:
    """The scale of the integers that a term is read from, and the least and the most number that they stand for; None
    for other terms.
    """
    maker: WrittenOperator | None = x.handle.maker
    if maker is None or maker.op != "DequantizeLinear":
        return None
    stored, scale, zero = maker.operands[0], maker.operands[1], maker.operands[2]
    if (
        stored is None
        or scale is None
        or zero is None
        or scale.shape
        or scale.constant is None
        or zero.constant is None
    ):
        return None
    step, limits = float(scale.constant), np.iinfo(stored.dtype.name)
    least, most = ((limit - int(zero.constant)) * step for limit in (int(limits.min), int(limits.max)))
    return step, least, most


def _number(term: Term | None, none: float) -> float:
    return none if term is None or term.constant is None else float(term.constant)
