"""A move takes the cheapest of all subsets of the labels that it proposes, and the cost is what permutes then move."""

from __future__ import annotations

from itertools import chain, combinations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.movement import Permute, View
from lite_delegate.npu.device.instructions.repetition import Repeat
from lite_delegate.npu.ir.module import Module
from lite_delegate.npu.passes.canonicalize import Canonicalize
from lite_delegate.npu.passes.layouts.network import network_of
from lite_delegate.npu.passes.layouts.place_permutes import permuted_bytes
from lite_delegate.npu.passes.layouts.rebuild import rebuilt
from lite_delegate.npu.passes.layouts.search import best_labels, cheapest, spread, total_cost
from tests.npu.passes.modules import Sketch
from tests.npu.passes.random_modules import modules

MOST_STEPS = 9
RANDOM = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def subsets(nodes):
    return chain.from_iterable(combinations(nodes, count) for count in range(len(nodes) + 1))


@RANDOM
@given(module=modules(), data=st.data())
def test_a_move_is_the_best_of_all_that_a_proposal_allows(module: Module, data: st.DataObject):
    network = network_of(Canonicalize().rewrite(module))
    moves = [
        (value, order)
        for value in network.values.values()
        for order in network.presentations(value, {}).values()
        if network.cost(value, {})
    ]
    assume(moves)
    proposal = spread(network, *data.draw(st.sampled_from(moves)))
    assume(len(proposal.labels) <= MOST_STEPS)
    costs = [total_cost(network, {node: proposal.labels[node] for node in nodes}) for nodes in subsets(proposal.labels)]
    switched = cheapest(network, {}, proposal)
    assert total_cost(network, {node: proposal.labels[node] for node in switched}) == min(costs)


@RANDOM
@given(module=modules())
def test_the_cost_is_what_the_permutes_of_the_new_module_move(module: Module):
    network = network_of(Canonicalize().rewrite(module))
    labels = best_labels(network)
    assert permuted_bytes(rebuilt(network, labels)) <= total_cost(network, labels) <= total_cost(network, {})


def test_a_value_whose_order_does_not_change_is_no_reason_to_switch():
    s = Sketch()
    tall, flat = s.input(8, 5, 1, 3), s.step(View((1, 5, 4, 1)), s.step(Repeat((1,)), s.input(20)))
    total = s.step(Binary(BinaryFunction.ADD), tall, flat)
    swapped = s.step(Permute((0, 2, 1, 3)), total)
    network = network_of(s.module(*(s.step(Repeat((1,)), s.step(View((480,)), x)) for x in (total, swapped))))
    proposal = spread(network, network.values[total], (0, 2, 1, 3))
    assert {tall, total} <= set(proposal.labels)
    assert cheapest(network, {}, proposal) == set()
