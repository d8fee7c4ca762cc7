"""ONNX's Einsum: products and sums over named dimensions."""

from __future__ import annotations

from math import prod

from lite_delegate_kernels import UNKNOWN

from ....basics.data_class import dataclass
from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode


@dataclass(frozen=True)
class LabeledValue:
    """A value whose dimensions have labels, each of them once."""

    value: Value
    labels: tuple[str, ...]


def _einsum(node: OnnxNode) -> Value:
    """Operands are multiplied pair by pair, as matrix products; labels that nothing needs any more are summed out."""
    equation = str(node.get("equation", "")).replace(" ", "")
    left, arrow, right = equation.partition("->")
    values = node.given()
    texts = left.split(",")
    node.reject_unless(len(texts) == len(values), Why.ATTRIBUTE, f"'{equation}' does not name {len(values)} operands")
    operands = [LabeledValue(v, _labels(node, text, node.rank(v))) for v, text in zip(values, texts, strict=True)]
    for operand in operands:
        repeated = len(set(operand.labels)) != len(operand.labels)
        node.reject_unless(not repeated, Why.ATTRIBUTE, f"'{equation}': a label twice in one operand")
    output = _output(operands, right if arrow else None)
    term = operands[0]
    for position, other in enumerate(operands[1:], 1):
        needed = set(output).union(*(o.labels for o in operands[position + 1 :]))
        term = _multiply(node, term, other, needed)
    term = _sum_out(node, term, set(output))
    return _arranged(node, term, output).value


def _labels(node: OnnxNode, text: str, rank: int) -> tuple[str, ...]:
    """One label per dimension; those of an ellipsis are numbers that count from its end."""
    before, dots, after = text.partition("...")
    count = rank - len(before) - len(after)
    node.reject_unless(count == 0 or (dots and count > 0), Why.ATTRIBUTE, f"'{text}' does not fit rank {rank}")
    return (*before, *(str(i) for i in range(count, 0, -1)), *after)


def _output(operands: list[LabeledValue], text: str | None) -> tuple[str, ...]:
    """The labels of the result; without an arrow those that stand once, in alphabetical order."""
    every = [label for operand in operands for label in operand.labels]
    dots = sorted({label for label in every if label.isdigit()}, key=int, reverse=True)
    if text is None:
        letters = sorted({label for label in every if not label.isdigit() and every.count(label) == 1})
        return (*dots, *letters)
    before, ellipsis, after = text.partition("...")
    return (*before, *(dots if ellipsis else ()), *after)


def _sum_out(node: OnnxNode, term: LabeledValue, needed: set[str]) -> LabeledValue:
    gone = [i for i, label in enumerate(term.labels) if label not in needed]
    if not gone:
        return term
    value = node.emit("ReduceFusion", term.value, node.ints(gone), mode="ReduceSum", keep_dims=False)
    return LabeledValue(value, tuple(label for label in term.labels if label in needed))


def _arranged(node: OnnxNode, term: LabeledValue, labels: tuple[str, ...]) -> LabeledValue:
    return LabeledValue(node.transpose(term.value, [term.labels.index(label) for label in labels]), labels)


def _multiply(node: OnnxNode, a: LabeledValue, b: LabeledValue, needed: set[str]) -> LabeledValue:
    a = _sum_out(node, a, needed | set(b.labels))
    b = _sum_out(node, b, needed | set(a.labels))
    both = [label for label in a.labels if label in b.labels]
    batch = tuple(label for label in both if label in needed)
    summed = tuple(label for label in both if label not in needed)
    rows = tuple(label for label in a.labels if label not in both)
    columns = tuple(label for label in b.labels if label not in both)
    left, right = _arranged(node, a, batch + rows + summed), _arranged(node, b, batch + summed + columns)
    if not summed:
        return _outer(node, left, right, batch, rows, columns)
    matrix = node.emit(
        "MatMulFusion", _matrix(node, left, len(batch), len(rows)), _matrix(node, right, len(batch), len(summed))
    )
    dims = [*node.dims(left.value)[: len(batch) + len(rows)], *node.dims(right.value)[len(batch) + len(summed) :]]
    labels = batch + rows + columns
    if len(rows) == len(columns) == 1:
        return LabeledValue(matrix, labels)
    node.reject_unless(dims.count(UNKNOWN) <= 1, Why.SHAPE, f"dimensions must be known, found {dims}")
    return LabeledValue(node.reshape(matrix, dims), labels)


def _matrix(node: OnnxNode, term: LabeledValue, batch: int, rows: int) -> Value:
    """The dimensions after the batch's as two: ``rows`` of them, and the others."""
    dims = node.dims(term.value)
    if rows == 1 and len(dims) == batch + 2:
        return term.value
    first, second = dims[batch : batch + rows], dims[batch + rows :]
    shape = [*dims[:batch], *(UNKNOWN if UNKNOWN in part else prod(part) for part in (first, second))]
    node.reject_unless(shape.count(UNKNOWN) <= 1, Why.SHAPE, f"dimensions must be known, found {list(dims)}")
    return node.reshape(term.value, shape)


def _outer(
    node: OnnxNode,
    a: LabeledValue,
    b: LabeledValue,
    batch: tuple[str, ...],
    rows: tuple[str, ...],
    columns: tuple[str, ...],
) -> LabeledValue:
    """Nothing is summed: each operand gets dimensions of 1 for the labels of the other."""
    first, count = len(batch), len(batch) + len(rows)
    left = node.unsqueeze(a.value, list(range(count, count + len(columns)))) if columns else a.value
    right = node.unsqueeze(b.value, list(range(first, count))) if rows else b.value
    return LabeledValue(node.emit("MulFusion", left, right), batch + rows + columns)


CONVERTERS: dict[str, Converter] = {"Einsum": _einsum}
