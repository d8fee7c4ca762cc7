"""Whatever delegates claim, fail to compile or fail to run, and whatever is asked of the partitioner: the answers are
the CPU's, the partition is sound, and devices hold what the plan runs and nothing else."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

import networkx as nx
import numpy as np
import pytest

from lite_delegate import DelegateExecuteError, DelegateWarning, FallbackError, Model, PlacementError
from lite_delegate.partition.properties import Property
from lite_delegate.runtime.planning.timing import timing
from lite_delegate.runtime.records.records import PartitionRecord
from lite_delegate.testing.faults import FaultyDelegate, HeldKernel
from lite_delegate.testing.partitions import model_violations
from tests.runtime.random_cases import Case, case

Arrays = list[np.ndarray]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        yield


@pytest.mark.parametrize("seed", range(100))
def test_a_random_case(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = case(seed)
    monkeypatch.setattr(timing, "measure_host", lambda *_: chosen.host_us)
    check(chosen)


def check(chosen: Case) -> None:
    delegates = chosen.delegates()
    model = Model()
    try:
        model.build_from_graph(chosen.graph, chosen.context(delegates))
    except FallbackError:
        assert chosen.strict
        assert not any(delegate.held for delegate in delegates)
        return
    except PlacementError:
        assert chosen.options.affinity
        assert not any(delegate.held for delegate in delegates)
        return
    again = Model()
    again.build_from_graph(chosen.graph, chosen.context(chosen.delegates()))
    check_record(chosen, model.get_partition())
    has_failed = any(d.count != len(d.held) for d in delegates)
    if chosen.options.connected and not has_failed:
        check_connected(chosen, model.get_partition())
    walkers = {f"d{i}" for i, walks in enumerate(chosen.walks) if walks}
    found = {v.property for v in model_violations(model, again)}
    allowed = {Property.COUNT} if has_failed or walkers else set()
    allowed |= {Property.GROUPS, Property.LIMITS} if walkers else set()
    assert found <= allowed, model_violations(model, again)
    assert set(model.get_graph_kernels()) == {kernel for delegate in delegates for kernel in delegate.held}
    check_outputs(chosen, model)
    if chosen.can_resize:
        check_resized(chosen, model, delegates)


def check_record(chosen: Case, record: PartitionRecord) -> None:
    options = chosen.options
    for node in record.nodes:
        assert (node.subgraph is None) == (node.device == "CPU") == (node.code is not None) == bool(node.reason)
        wanted = options.affinity.get(node.name, node.device)
        assert node.device == (wanted if wanted != "cpu" else "CPU")
        if node.device != "CPU":
            assert node.name in chosen.claims[int(node.device[1:])]
            assert node.name not in options.deny_names
            assert node.type not in options.deny_types
            assert options.allow_names is None or node.name in options.allow_names
            assert options.allow_types is None or node.type in options.allow_types
    names = [s.name for s in record.subgraphs]
    assert len(set(names)) == len(names)
    stated = [s for s in record.subgraphs if not chosen.walks[int(s.delegate[1:])]]
    count = Counter((s.delegate, s.graph) for s in stated)
    assert options.max_subgraphs is None or max(count.values(), default=0) <= options.max_subgraphs


def check_connected(chosen: Case, record: PartitionRecord) -> None:
    for subgraph in record.subgraphs:
        assert chosen.walks[int(subgraph.delegate[1:])] or is_connected(record, subgraph.kernels), subgraph


def is_connected(record: PartitionRecord, kernels: Sequence[str]) -> bool:
    """Through tensors, groups, or the order of side effects, which are not in the record."""
    nodes = {n.name: n for n in record.nodes if n.name in kernels}
    edges: nx.Graph[str] = nx.Graph()
    edges.add_nodes_from(nodes)
    for name, node in nodes.items():
        edges.add_edges_from((name, other) for other, o in nodes.items() for t in o.outputs if t in node.inputs)
    for group in record.options.groups:
        inside = sorted(set(nodes).intersection(group))
        edges.add_edges_from((inside[0], name) for name in inside)
    return bool(nx.is_connected(edges))


def check_outputs(chosen: Case, model: Model) -> None:
    plain = Model()
    plain.build_from_graph(chosen.graph)
    if [t.shape for t in plain.get_inputs()] != (shapes := [t.shape for t in model.get_inputs()]):
        plain.resize(plain.get_inputs(), shapes)
    rng = np.random.default_rng(0)
    for _ in range(3):
        arrays = {t.name: rng.integers(-4, 4, t.shape).astype(np.float32) for t in model.get_inputs()}
        try:
            found = model.predict(arrays)
        except DelegateExecuteError:
            assert chosen.on_delegate_error == "raise"
            assert any(faults.execute for faults in chosen.faults)
            return
        for got, want in zip(found, plain.predict(arrays), strict=True):
            np.testing.assert_array_equal(got.get_data_to_numpy(), want.get_data_to_numpy())


def check_resized(chosen: Case, model: Model, delegates: Sequence[FaultyDelegate]) -> None:
    """The plans for both shapes are held, and run."""
    first = held(delegates)
    try:
        model.resize(model.get_inputs(), [[5, 4], [5, 4]])
    except (FallbackError, PlacementError):
        assert held(delegates) == first
        check_outputs(chosen, model)
        return
    check_record(chosen, model.get_partition())
    mine = {k for k in model.get_graph_kernels() if isinstance(k, HeldKernel)}
    assert held(delegates) == first | mine
    check_outputs(chosen, model)
    model.resize(model.get_inputs(), [[2, 4], [2, 4]])
    check_outputs(chosen, model)


def held(delegates: Sequence[FaultyDelegate]) -> set[HeldKernel]:
    for delegate in delegates:
        assert len(set(delegate.released)) == len(delegate.released)
        assert not delegate.misused
    return {kernel for delegate in delegates for kernel in delegate.held}
