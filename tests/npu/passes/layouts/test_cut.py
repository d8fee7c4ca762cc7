from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.passes.layouts.cut import UNBOUNDED, Cut


def division(edges):
    cut = Cut()
    for edge in edges:
        cut.add(*edge)
    return cut.switched()


def cost(edges, switched):
    on = {Cut.SWITCH, *switched}
    return sum(c for stays, switches, c in edges if stays not in on and switches in on)


def test_a_node_goes_where_it_costs_less():
    assert division([("a", Cut.SWITCH, 3), (Cut.STAY, "a", 2)]) == {"a"}
    assert division([("a", Cut.SWITCH, 2), (Cut.STAY, "a", 3)]) == set()


def test_of_equal_divisions_the_one_where_fewest_switch():
    assert division([("a", Cut.SWITCH, 2), (Cut.STAY, "a", 2)]) == set()
    assert division([("a", "b", 1), ("b", Cut.SWITCH, 5), (Cut.STAY, "a", 1), (Cut.STAY, "b", 1)]) == {"b"}


def test_nodes_without_anything_at_stake_stay():
    assert division([]) == set()
    assert division([("a", "b", 4)]) == set()


def test_unbounded_costs_hold_nodes_together():
    edges = [("a", Cut.SWITCH, 3), (Cut.STAY, "b", 5), ("a", "b", UNBOUNDED), ("b", "a", UNBOUNDED)]
    assert division(edges) == set()
    assert division([*edges, ("b", Cut.SWITCH, 3)]) == {"a", "b"}


NODES = ["a", "b", "c", "d", "e"]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from([Cut.STAY, *NODES]), st.sampled_from([Cut.SWITCH, *NODES]), st.integers(0, 6)),
        max_size=16,
    )
)
def test_no_division_is_cheaper(edges):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    costs = [
        cost(edges, np.array(NODES)[list(chosen)].tolist()) for chosen in product([False, True], repeat=len(NODES))
    ]
    assert cost(edges, division(edges)) == min(costs)
