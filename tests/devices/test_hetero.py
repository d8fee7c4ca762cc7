"""Models shared by several devices, held to what each was told to take."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Event

import networkx as nx
import numpy as np
import pytest

from lite_delegate import Core, InputError, PartitionOptions, PlacementError
from lite_delegate.runtime.records import PartitionRecord
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.failing import MARK, Failing, FailingKernel
from tests.runtime.graphs import chain
from tests.runtime.random_cases import dag

NAMES = ("one", "two", "three")


def claiming(names: Sequence[str], options: Mapping[str, object]) -> NamedDelegate:
    return NamedDelegate(names)


def core_with(claims: Sequence[Sequence[str]]) -> Core:
    core = Core()
    for name, claimed in zip(NAMES, claims, strict=False):
        core.register_device(name, partial(claiming, claimed))
    return core


def has_circle(partition: PartitionRecord) -> bool:
    """Whether a subgraph needs what is only there after it."""
    makers = {tensor.id: node.subgraph or node.name for node in partition.nodes for tensor in node.outputs}
    needs: nx.DiGraph[str] = nx.DiGraph()
    for node in partition.nodes:
        place = node.subgraph or node.name
        sources = {makers[tensor.id] for tensor in node.inputs if tensor.id in makers}
        needs.add_edges_from((source, place) for source in sources - {place})
    return not nx.is_directed_acyclic_graph(needs)


@pytest.mark.filterwarnings("ignore:Delegate .* does not claim")
@pytest.mark.parametrize("block", range(4))
def test_earlier_devices_come_first_and_subgraphs_do_not_wait_for_each_other(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        rng = random.Random(seed)
        graph = dag(rng)
        plain = Core().compile_model(graph, "CPU")
        names = [node.name for node in plain.partition.nodes]
        claims = [[name for name in names if rng.random() < 0.5] for _ in NAMES]
        shared = core_with(claims).compile_model(graph, "HETERO:one,two,three,CPU")
        for node in shared.partition.nodes:
            wanted = (device for device, claimed in zip(NAMES, claims, strict=True) if node.name in claimed)
            assert node.device == next(wanted, "CPU"), (seed, node.name)
        assert not has_circle(shared.partition), seed
        data = np.random.default_rng(seed)
        x = [data.standard_normal(tuple(port.shape)).astype(np.float32) for port in plain.inputs]
        expected = plain.create_infer_request().infer(x)
        for found, wanted_array in zip(shared.create_infer_request().infer(x), expected, strict=True):
            np.testing.assert_array_equal(found, wanted_array)


def test_the_check_sees_a_circle() -> None:
    core = core_with([["n0", "n2"]])
    partition = core.compile_model(chain(3), "HETERO:one,CPU").partition
    assert not has_circle(partition)
    joined = [replace(node, subgraph="all" if node.name != "n1" else None) for node in partition.nodes]
    assert has_circle(replace(partition, nodes=tuple(joined)))


def test_a_part_of_the_nodes_can_be_given_to_devices() -> None:
    core = core_with([["n0", "n1", "n2"], ["n1", "n2"]])
    options = PartitionOptions(affinity={"n1": "two", "n2": "CPU"})
    shared = core.compile_model(chain(4), "HETERO:one,two,CPU", partition=options)
    assert [node.device for node in shared.partition.nodes] == ["one", "two", "CPU", "CPU"]
    assert dict(core.query_model(chain(4), "HETERO:one,two,CPU", partition=options)) == {
        "n0": "one",
        "n1": "two",
        "n2": "CPU",
        "n3": "CPU",
    }


def test_a_node_that_its_device_rejects_is_an_error_with_the_reason() -> None:
    core = core_with([["n0"], ["n1"]])
    with pytest.raises(PlacementError, match=r"'n1' .* cannot run on 'one': OPERATOR: 'n1' is not in the list"):
        core.compile_model(chain(2), "HETERO:one,two,CPU", partition=PartitionOptions(affinity={"n1": "one"}))
    with pytest.raises(InputError, match="expected one of the devices 'one', 'two', 'CPU', found 'three'"):
        core.compile_model(chain(2), "HETERO:one,two,CPU", partition=PartitionOptions(affinity={"n1": "three"}))


def test_one_request_is_on_the_second_device_while_another_is_on_the_first() -> None:
    second_is_busy, first_has_run_again = Event(), Event()

    def on_first(kernel: FailingKernel, count: int) -> None:
        kernel.compute()
        if count == 2:
            first_has_run_again.set()

    def on_second(kernel: FailingKernel, count: int) -> None:
        if count == 1:
            second_is_busy.set()
            assert first_has_run_again.wait(30)
        kernel.compute()

    core = Core()
    core.register_device("one", lambda options: Failing(on_first, ["n0"]))
    core.register_device("two", lambda options: Failing(on_second, ["n1"]))
    compiled, x = core.compile_model(chain(2), "HETERO:one,two"), np.ones((2, 3), np.float32)
    earlier, later = compiled.create_infer_request(), compiled.create_infer_request()
    with ThreadPoolExecutor(2) as pool:
        before = pool.submit(earlier.infer, [x])
        assert second_is_busy.wait(30)
        after = pool.submit(later.infer, [x])
        for results in (before.result(60), after.result(60)):
            np.testing.assert_array_equal(results[0], x + 2 * MARK)
