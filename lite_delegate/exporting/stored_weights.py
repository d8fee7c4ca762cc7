"""Models with float32 weights in place of narrower ones, and the forms that these have in the model's file."""

from __future__ import annotations

from collections.abc import Mapping

from ..backends.tflite_file.stored import Place, StoredForm, place_of
from ..basics.data_class import dataclass
from ..ir import DataType, Graph, Node, Value
from ..passes import DeadCodePass, DequantizeWeightsPass, UnpackConstantsPass, run_passes


@dataclass(frozen=True, slots=True, eq=False)
class FloatWeights:
    """A graph whose weights are float32.

    Attributes:
        graph: the graph.
        stored: the forms of constants that the file has as float16, or as int8 with scales.
    """

    graph: Graph
    stored: Mapping[Place, StoredForm]


def float_weights(graph: Graph) -> FloatWeights:
    """The graph with float32 weights; the given graph is not changed."""
    narrow = run_passes(graph, (DeadCodePass(), UnpackConstantsPass())).graph
    wide = run_passes(narrow, (UnpackConstantsPass(), DequantizeWeightsPass())).graph
    stored: dict[Place, StoredForm] = {}
    for before, after in zip(_nodes(narrow), _nodes(wide), strict=True):
        for old, new in zip(before.inputs, after.inputs, strict=True):
            if old is None or new is None or new.data is None or new.dtype != DataType.FLOAT32:
                continue
            form = StoredForm() if new.was_half else _form(old)
            if form is not None:
                stored[place_of(new.data)] = form
    return FloatWeights(wide, stored)


def _nodes(graph: Graph) -> list[Node]:
    return [node for each in graph.all_graphs() for node in each.nodes]


def _form(value: Value) -> StoredForm | None:
    """The scales of a constant of int8; None for others."""
    if value.dtype != DataType.INT8 or not value.quant_params:
        return None
    return StoredForm(tuple(p.scale for p in value.quant_params), tuple(p.zero_point for p in value.quant_params))
