"""Open dimensions of a written model: it is written for several sizes, and what differs is what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...formats.tflite.export import GraphWriter, TfliteTensor, TfliteWriter, Written
from ...tensors.tensor import Array
from .scope import OPEN
from .stored import place_of

RESHAPED = "RESHAPE"


class NotAlike(Exception):
    """Two models differ in more than the dimensions of tensors."""


def open_up(model: TfliteWriter, others: Sequence[TfliteWriter]) -> bool:
    """Opens the dimensions of a model that differ between sizes, where nothing else does.

    Operators, options and constants must be the same for all sizes, but for the one dimension of RESHAPE that
    TensorFlow Lite works out itself.

    Args:
        model: for the sizes that the file is to have.
        others: the same model for other sizes.

    Returns:
        Whether it was done; otherwise the model is as it was.
    """
    if len(model.graphs) != 1 or any(len(each.graphs) != 1 for each in others):
        return False
    graph = model.graphs[0]
    try:
        found = _OpenDimensions(graph, [each.graphs[0] for each in others])
    except NotAlike:
        return False
    graph.operators[:] = found.operators
    for tensor, signature in found.signatures.items():
        tensor.signature = signature
    return True


class _OpenDimensions:
    """What is open in a subgraph.

    Args:
        graph: for the sizes that the file is to have.
        others: for other sizes.

    Attributes:
        signatures: the dimensions of tensors, -1 where one is open.
        operators: the operators, with RESHAPE to open dimensions.

    Raises:
        NotAlike: more differs than dimensions.
    """

    def __init__(self, graph: GraphWriter, others: Sequence[GraphWriter]) -> None:
        self._graph = graph
        self.signatures: dict[TfliteTensor, tuple[int, ...]] = {}
        if any(len(each.operators) != len(graph.operators) for each in others):
            raise NotAlike
        for place, tensor in enumerate(graph.inputs):
            self._tensor(tensor, [each.inputs[place] for each in others])
        self.operators = [
            self._operator(written, [each.operators[place] for each in others])
            for place, written in enumerate(graph.operators)
        ]

    def _operator(self, written: Written, others: Sequence[Written]) -> Written:
        use, uses = written.use, [each.use for each in others]
        is_reshape = use.kind == RESHAPED
        for other in uses:
            alike = (use.kind, len(use.inputs), len(use.outputs)) == (other.kind, len(other.inputs), len(other.outputs))
            if not alike or not (is_reshape or _same_options(use.options, other.options)):
                raise NotAlike
        inputs = list(use.inputs)
        for place, tensor in enumerate(use.inputs):
            pairs = [other.inputs[place] for other in uses]
            if is_reshape and place == 1 and tensor is not None and tensor.data is not None:
                inputs[1] = self._new_shape(tensor, pairs)
            else:
                self._operand(tensor, pairs)
        for place, tensor in enumerate(use.outputs):
            self._tensor(tensor, [other.outputs[place] for other in uses])
        if inputs[1:2] == list(use.inputs[1:2]):
            return written
        assert inputs[1] is not None
        options = {"new_shape": inputs[1].data}
        return replace(written, use=replace(use, inputs=tuple(inputs), options=options))

    def _operand(self, tensor: TfliteTensor | None, others: Sequence[TfliteTensor | None]) -> None:
        if tensor is None or tensor.data is None:
            if tensor is not None:
                self._tensor(tensor, [each for each in others if each is not None])
            return
        if not all(each is not None and each.data is not None and _same(tensor.data, each.data) for each in others):
            raise NotAlike

    def _new_shape(self, tensor: TfliteTensor, others: Sequence[TfliteTensor | None]) -> TfliteTensor:
        """RESHAPE's dimensions with -1 in the place of the one that differs."""
        shapes = [each.data for each in (tensor, *others) if each is not None and each.data is not None]
        if len(shapes) <= len(others) or len({each.shape for each in shapes}) != 1:
            raise NotAlike
        differs = np.any([each != shapes[0] for each in shapes], axis=0)
        if not differs.any():
            return tensor
        if differs.sum() > 1:
            raise NotAlike
        data = np.where(differs, OPEN, shapes[0]).astype(np.int32)
        return self._graph.tensor("new_shape", "int32", data.shape, None, data)

    def _tensor(self, tensor: TfliteTensor, others: Sequence[TfliteTensor]) -> None:
        if any(each.rank != tensor.rank or each.dtype != tensor.dtype for each in others):
            raise NotAlike
        sizes = zip(tensor.shape, *(each.shape for each in others), strict=True)
        signature = tuple(dims[0] if len(set(dims)) == 1 else OPEN for dims in sizes)
        if OPEN in signature:
            self.signatures[tensor] = signature


def _same_options(first: object, second: object) -> bool:
    """Whether options are alike, arrays among them."""
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def _same(first: Array, second: Array) -> bool:
    if place_of(first) == place_of(second):
        return bool(first.shape == second.shape)
    return bool(first.dtype == second.dtype and np.array_equal(first, second))
