"""The partitioner against others on the same graphs and claims in one run, and how it grows with the graph.

Ours has never more subgraphs than another on any graph, or the exit status is 1. Boundary tensors count each tensor
once for each subgraph that reads it from outside or makes it for outside; their bytes are shown in all. "more on" and
"fewer on" say on how many graphs a partitioner has more or fewer subgraphs than ours, "fewer bytes on" on how many it
has as many subgraphs and fewer bytes.

Then time and memory for 1,000 to ``--largest`` nodes, and the exponent of their growth: 1 is linear. "order" is the
bound, the order and its subgraphs; "partition" is all of it, with few bytes over the boundaries.

Run: python benchmarks/partition.py [--graphs N] [--largest N] [--without-torch]
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from benchmarks import partition_peers as peers
from benchmarks.partition_graphs import NETWORKS, chain_like, layered, random_graph, real_graphs
from lite_delegate.partition import PartitionGraph, minimum_runs, order_with_fewest_runs, partition, runs_of

OURS = "ours"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
MIDDLE = 300
"""Nodes of the long graphs that all partitioners are tried on: PyTorch's takes minutes for thousands."""
WANTED_EXPONENT = 1.1
WANTED_SECONDS = 1.0
"""For order and subgraphs of 100,000 nodes."""


@dataclass
class Score:
    """The sums of one partitioner's results on all graphs of a kind."""

    subgraphs: int = 0
    tensors: int = 0
    nbytes: int = 0
    seconds: float = 0.0
    more: int = 0
    fewer: int = 0
    fewer_bytes: int = 0


def ours(graph: PartitionGraph) -> peers.Subgraphs:
    """Ours."""
    return [list(nodes) for nodes in partition(graph).subgraphs]


def boundary(graph: PartitionGraph, subgraphs: peers.Subgraphs) -> tuple[int, int]:
    """Tensors that cross the boundaries of subgraphs, and their bytes."""
    of = {v: number for number, nodes in enumerate(subgraphs) for v in nodes}
    count = nbytes = 0
    for tensor in graph.tensors:
        home = -1 if tensor.producer is None else of.get(tensor.producer, -1)
        readers = {of.get(v, -1) for v in tensor.consumers}
        crossings = len(readers - {home, -1}) + (home >= 0 and (tensor.is_output or bool(readers - {home})))
        count, nbytes = count + crossings, nbytes + crossings * tensor.nbytes
    return count, nbytes


def compare(
    graphs: Iterable[PartitionGraph], partitioners: Mapping[str, peers.Partitioner]
) -> tuple[int, dict[str, Score]]:
    """All partitioners on all graphs: how many graphs there are, and each one's score."""
    scores = {name: Score() for name in partitioners}
    number = 0
    for graph in graphs:
        number += 1
        found = {name: _timed(run, graph, scores[name]) for name, run in partitioners.items()}
        mine = len(found[OURS]), boundary(graph, found[OURS])
        for name, subgraphs in found.items():
            _add(scores[name], (len(subgraphs), boundary(graph, subgraphs)), mine)
    return number, scores


def _timed(run: peers.Partitioner, graph: PartitionGraph, score: Score) -> peers.Subgraphs:
    start = time.perf_counter()
    found = run(graph)
    score.seconds += time.perf_counter() - start
    return found


def _add(score: Score, found: tuple[int, tuple[int, int]], mine: tuple[int, tuple[int, int]]) -> None:
    count, (tensors, nbytes) = found
    score.subgraphs += count
    score.tensors += tensors
    score.nbytes += nbytes
    score.more += count > mine[0]
    score.fewer += count < mine[0]
    score.fewer_bytes += count == mine[0] and nbytes < mine[1][1]


def print_comparison(
    title: str, graphs: Iterable[PartitionGraph], partitioners: Mapping[str, peers.Partitioner]
) -> int:
    """One table; gives the number of times that another had fewer subgraphs."""
    number, scores = compare(graphs, partitioners)
    rows = [
        (name, s.subgraphs, s.more, s.fewer, s.tensors, f"{s.nbytes / 1e6:,.1f}", s.fewer_bytes, f"{s.seconds:.2f}")
        for name, s in scores.items()
    ]
    headers = ("", "subgraphs", "more on", "fewer on", "tensors", "MB", "fewer bytes on", "seconds")
    print(f"\n{title}: {number:,} graphs", tabulate(rows, headers, colalign=("left", *("right",) * 7)), sep="\n")
    return sum(s.fewer for s in scores.values())


def order_only(graph: PartitionGraph) -> list[range]:
    """The bound, the order and its subgraphs."""
    return runs_of(order_with_fewest_runs(graph, minimum_runs(graph)), graph.claimed)


def seconds_of(work: Callable[[PartitionGraph], object], graph: PartitionGraph) -> float:
    """The shortest of three times, of one where that takes long."""
    best = math.inf
    for _ in range(3):
        gc.collect()
        start = time.perf_counter()
        work(graph)
        best = min(best, time.perf_counter() - start)
        if best > WANTED_SECONDS:
            break
    return best


def peak_of(work: Callable[[PartitionGraph], object], graph: PartitionGraph) -> int:
    """The most bytes that were allocated at a time, beyond the graph itself."""
    gc.collect()
    tracemalloc.start()
    work(graph)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The slope of the values over the sizes, both as logarithms: values grow as size to the power of it."""
    slope, _ = statistics.linear_regression([math.log(n) for n in sizes], [math.log(v) for v in values])
    return slope


def print_growth(title: str, make: Callable[[int], PartitionGraph], sizes: Sequence[int]) -> bool:
    """One table; gives whether the wanted figures are met."""
    columns: dict[str, list[float]] = {"order s": [], "order MB": [], "partition s": [], "partition MB": []}
    counts = []
    for n in sizes:
        graph = make(n)
        for name, work in (("order", order_only), ("partition", partition)):
            columns[f"{name} s"].append(seconds_of(work, graph))
            columns[f"{name} MB"].append(peak_of(work, graph) / 1e6)
        counts.append(len(order_only(graph)))
    slopes = [exponent(sizes, each) for each in columns.values()]
    rows = [(f"{n:,}", f"{counts[i]:,}", *(f"{each[i]:.4g}" for each in columns.values())) for i, n in enumerate(sizes)]
    rows.append(("exponent", f"{exponent(sizes, counts):.2f}", *(f"{slope:.2f}" for slope in slopes)))
    headers = ("nodes", "subgraphs", *columns)
    print(f"\n{title}", tabulate(rows, headers, colalign=("right",) * 6, disable_numparse=True), sep="\n")
    fast = all(s < WANTED_SECONDS for n, s in zip(sizes, columns["order s"], strict=True) if n <= 100_000)
    return fast and max(slopes) <= WANTED_EXPONENT


def main() -> None:
    """Prints all tables; the exit status is 1 where another has fewer subgraphs, or a wanted figure is not met."""
    parser = argparse.ArgumentParser(description="The partitioner against others, and how it grows.")
    parser.add_argument("--graphs", type=int, default=3000, metavar="N", help="random graphs")
    parser.add_argument("--largest", type=int, default=SIZES[-1], metavar="N", help="nodes of the largest graph")
    parser.add_argument("--without-torch", action="store_true", help="leave out PyTorch's, which is slow")
    arguments = parser.parse_args()
    if arguments.largest < SIZES[1]:
        parser.error(f"--largest must be at least {SIZES[1]:,}: growth needs two sizes, got {arguments.largest:,}")
    partitioners: dict[str, peers.Partitioner] = {OURS: ours}
    others = {"ONNX Runtime": peers.onnx_runtime(), "PyTorch": None if arguments.without_torch else peers.torch()}
    partitioners.update((name, each) for name, each in others.items() if each is not None)
    partitioners |= {"epochs": peers.epochs, "as given": peers.as_given}
    for name in others.keys() - partitioners.keys():
        print(f"{name} is left out: it is not installed, or not wanted.")
    fewer = print_comparison("random", map(random_graph, range(arguments.graphs)), partitioners)
    for title, make in (("layered", layered), ("chain-like", chain_like)):
        fewer += print_comparison(f"{title}, {MIDDLE} nodes", [make(MIDDLE, seed) for seed in range(20)], partitioners)
    for name in NETWORKS:
        fewer += print_comparison(f"{name}, one or two operator types rejected", real_graphs(name), partitioners)
    sizes = [n for n in SIZES if n <= arguments.largest]
    met = [print_growth(title, make, sizes) for title, make in (("layered", layered), ("chain-like", chain_like))]
    print(f"\nfewer subgraphs than ours: {fewer} times; growth and time as wanted: {'yes' if all(met) else 'no'}")
    sys.exit(1 if fewer or not all(met) else 0)


if __name__ == "__main__":
    main()
