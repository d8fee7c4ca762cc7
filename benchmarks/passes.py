"""The time of the passes on long graphs: ``python benchmarks/passes.py [NODES ...]``, by default 4k, 16k and 64k.

One graph of each size goes through the level "general", pass by pass; the growth from size to size is printed beside
the times, and should not be much above the growth of the sizes.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise

import numpy as np

from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.passes import run_passes
from lite_delegate.passes.optimize import GENERAL

SIZES = (4_000, 16_000, 64_000)
WIDTH = 8


def layered(nodes: int) -> Graph:
    """Blocks of 12 nodes that give most passes something to do; convolutions between transposes."""
    x = Value("x", DataType.FLOAT32, (1, WIDTH, 6, 6))
    graph = Graph("layered", [x], [], [])
    value = x
    for block in range(nodes // 12):
        value = _block(graph, value, block)
    graph.outputs.append(value)
    return graph


def _block(graph: Graph, x: Value, block: int) -> Value:
    def node(op_type: str, *inputs: Value, shape: tuple[int, ...] | None = None, **attributes: object) -> Value:
        name = f"{op_type}{block}.{len(graph.nodes)}"
        result = Value(name, DataType.FLOAT32, inputs[0].shape if shape is None else shape)
        graph.nodes.append(Node(name, make_primitive(op_type, **attributes), list(inputs), [result]))
        return result

    def numbers(array: object) -> Value:
        return constant(f"c{block}.{len(graph.nodes)}", np.asarray(array, np.float32))

    def axes(*order: int) -> Value:
        return constant(f"axes{block}.{len(graph.nodes)}", np.array(order, np.int32))

    y = node("Transpose", x, axes(0, 2, 3, 1), shape=(1, 6, 6, WIDTH))
    weight, bias = numbers(np.full((WIDTH, 1, 1, WIDTH), 0.01)), numbers(np.zeros(WIDTH))
    y = node(
        "Conv2DFusion", y, weight, bias, kernel_size=(1, 1), stride=(1, 1), in_channel=WIDTH, out_channel=WIDTH, group=1
    )  # fmt: skip
    y = node("Transpose", y, axes(0, 3, 1, 2), shape=(1, WIDTH, 6, 6))
    y = node("MulFusion", y, numbers(np.full((1, WIDTH, 1, 1), 2.0)))
    y = node("AddFusion", y, numbers(np.full((1, WIDTH, 1, 1), 3.0)))
    y = node("Activation", y, activation_type="RELU")
    half = node("MulFusion", y, numbers(1.0))
    gate = node("Activation", half, activation_type="SIGMOID")
    y = node("MulFusion", half, gate)
    y = node("AddFusion", node("AddFusion", numbers(1.0), numbers(2.0), shape=()), y, shape=(1, WIDTH, 6, 6))
    return node("AddFusion", x, y)


def times_of(graph: Graph) -> dict[str, float]:
    """Seconds of processor time of each pass, by place and name, and of all with the framework's checks."""
    marks: list[tuple[str, float]] = []
    start = time.process_time()
    run_passes(graph, GENERAL, lambda name: marks.append((name, time.process_time())))
    marks.append(("", time.process_time()))
    found = {f"{place:2} {name}": after - before for place, ((name, before), (_, after)) in enumerate(pairwise(marks))}
    return {**found, "all": time.process_time() - start}


def main(sizes: list[int]) -> None:
    """Prints a row for each pass and a column for each size."""
    columns = [times_of(layered(size)) for size in sizes]
    print(f"{'pass':28}" + "".join(f"{f'{size} nodes':>16}" for size in sizes) + "   growth")
    for row in columns[0]:
        seconds = [column[row] for column in columns]
        growth = " ".join(f"{b / a:5.1f}" for a, b in pairwise(seconds))
        print(f"{row:28}" + "".join(f"{1000 * s:13.1f} ms" for s in seconds) + f"   {growth}")


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or list(SIZES))
