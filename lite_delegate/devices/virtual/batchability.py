"""Whether several runs of a model may become one: each output depends on its own part of dimension 0 alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...errors import LiteDelegateError
from ...inference.compiling.compilation import compile_for_shapes
from ...inference.model.compiled_model import CompiledModel
from ...inference.tensors.port import Port
from ...ir import Graph, Node, Value, to_numpy
from ...runtime.settings import Settings

ITEMS = 3
"""The number of runs in the trial; with two runs a swap of the runs would look like a reversal of the dimension."""
TOLERANCE = 1e-3
"""The tolerance relative to the largest number: matrix products of another size may round otherwise."""
Shape = tuple[int, ...]


def times(shape: Shape, count: int) -> Shape:
    """The shape with dimension 0 ``count`` times as large."""
    return (shape[0] * count, *shape[1:])


def item_shapes(single: CompiledModel) -> list[Shape]:
    """The shape of each input of a run that may be joined with other runs; () for an input that cannot be joined.

    An input with an open dimension 0 alone has the least size there, 1 at least.
    """
    return [port.extents or _least(port) for port in single.inputs]


def _least(port: Port) -> Shape:
    ranges = port.ranges
    if not ranges or any(low != high for low, high in ranges[1:]):
        return ()
    return (max(ranges[0][0], 1), *(low for low, _ in ranges[1:]))


def why_not_batchable(model: CompiledModel, shapes: Sequence[Shape] = ()) -> str:
    """Why runs of a model cannot be joined in dimension 0, "" where they can.

    1. Shape inference for 2 and 3 runs must give 2 and 3 times the outputs.
    2. In a trial on the CPU with random inputs, joined runs must have the outputs of the runs alone; the reason names
       the first node whose result differs.

    Args:
        model: compiled for any shapes. A model without delegates lends its constants to the trial.
        shapes: of the inputs of one run; (): as ``item_shapes`` has them.
    """
    shapes = shapes or item_shapes(model)
    if not all(shapes):
        return "an input has no dimension 0, or another dimension is open"
    settings = replace(model.settings, delegates=(), strict=False, whole="", properties={}, plan_only=False)
    try:
        one = _planned(model, shapes, settings)
        two = _planned(model, [times(shape, 2) for shape in shapes], replace(settings, plan_only=True))
        many = _planned(model, [times(shape, ITEMS) for shape in shapes], settings)
        return _misfit(one, {2: two, ITEMS: many}) or _difference(model.graph, shapes, settings, one, many)
    except LiteDelegateError as e:
        return f"the model does not run with larger batches: {e}"


def _planned(model: CompiledModel, shapes: Sequence[Shape], settings: Settings) -> CompiledModel:
    """The model on the CPU for other shapes; what is planned is quicker to plan again than the graph."""
    if model.settings.delegates:
        return compile_for_shapes(model.graph, shapes, settings, [])
    return model.reshaped(shapes, settings)


def _misfit(one: CompiledModel, joined: Mapping[int, CompiledModel]) -> str:
    """The output whose size does not grow with the number of joined runs, "" where all outputs grow."""
    for count, several in joined.items():
        for port, whole in zip(one.outputs, several.outputs, strict=True):
            if not port.extents or whole.extents != times(port.extents, count):
                return (
                    f"output '{port.name}' of {counted(count, 'run')} has shape {whole.extents}, "
                    f"the output of one run {port.extents}"
                )
    return ""


def _difference(
    graph: Graph, shapes: Sequence[Shape], settings: Settings, one: CompiledModel, many: CompiledModel
) -> str:
    """The first node whose result differs for joined runs, "" where all outputs are equal."""
    rng = np.random.default_rng(0)
    items = [[_random(rng, v, shape) for v, shape in zip(graph.inputs, shapes, strict=True)] for _ in range(ITEMS)]
    if not _differing(one, many, graph.outputs, items):
        return ""
    seen = _with_all_results(graph)
    one = compile_for_shapes(seen, shapes, settings, [])
    many = compile_for_shapes(seen, [times(shape, ITEMS) for shape in shapes], settings, [])
    wrong = _differing(one, many, seen.outputs, items, graph.outputs)
    if not wrong:  # fused kernels alone round otherwise
        return "the outputs of joined runs differ from those of the runs alone"
    node = graph.producers()[wrong[0]]
    return f"node '{node.name}' ({node.op_type}) mixes dimension 0"


def _differing(
    one: CompiledModel,
    many: CompiledModel,
    values: Sequence[Value],
    items: Sequence[Sequence[Array]],
    outputs: Sequence[Value] = (),
) -> list[Value]:
    """The values, results of both models, that differ between joined runs and runs alone."""
    joined = [np.concatenate(arrays) for arrays in zip(*items, strict=True)]
    alone, together = [list(one(list(item))) for item in items], list(many(joined))
    return [
        value
        for value, whole, *parts in zip(values, together, *alone, strict=True)
        if not _are_same(whole, parts, is_output=value in (outputs or values))
    ]


def _with_all_results(graph: Graph) -> Graph:
    """The graph that also gives the results of its nodes, in execution order."""
    inner = [value for node in graph.nodes if _is_seen(node) for value in node.outputs]
    values = dict.fromkeys([*inner, *graph.outputs])
    return replace(graph, outputs=list(values))


def _is_seen(node: Node) -> bool:
    return node.op_type not in ("PartialFusion", "Call", "Switch")


def _random(rng: np.random.Generator, value: Value, shape: Shape) -> Array:
    dtype = np.dtype(to_numpy(value.dtype))
    if dtype.kind == "f":
        return np.asarray(rng.normal(size=shape), dtype)
    return np.asarray(rng.integers(0, 2, shape), dtype)


def _are_same(whole: Array, parts: Sequence[Array], *, is_output: bool) -> bool:
    """Whether a result is the concatenation of the single results; an inner result of another shape passes."""
    if whole.ndim == 0 or whole.shape != times(parts[0].shape, len(parts)):
        return not is_output
    joined = np.concatenate(parts)
    if whole.dtype.kind != "f":
        return bool(np.array_equal(whole, joined))
    largest = float(np.max(np.abs(joined), initial=0, where=np.isfinite(joined)))
    return bool(np.allclose(whole, joined, rtol=TOLERANCE, atol=TOLERANCE * largest, equal_nan=True))
