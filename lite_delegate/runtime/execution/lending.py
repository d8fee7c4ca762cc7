"""Lending: the outputs and variables of a model that may lie in memory of a graph kernel in place of the prediction's
own.
"""

from __future__ import annotations

from ...delegate import Kernel
from .buffers import keeps_outputs
from .plan import GraphPlan


def lent_outputs(graph: GraphPlan) -> frozenset[int]:
    """Positions of a graph's outputs that may be, or be views of, arrays that a graph kernel writes to again.

    A graph kernel that gives new arrays (``Kernel.gives_new_arrays``) lends nothing, unless its outputs are kept from
    run to run (``Kernel.bind``). A CPU kernel may return a view of its input, as a reshape does, so its outputs count
    as lent when an input is.
    """
    lent = _lent_slots(graph)
    return frozenset(i for i, slot in enumerate(graph.output_slots) if slot in lent)


def lent_state(graph: GraphPlan) -> frozenset[int]:
    """Numbers of the variables that may hold lent arrays at the end of a prediction."""
    lent = _lent_slots(graph)
    return frozenset(number for slot, number in graph.variables if slot in lent)


def _lent_slots(graph: GraphPlan) -> set[int]:
    lent: set[int] = set()
    for segment in graph.segments:
        for step in segment.steps:
            lends = _is_lender(step.kernel) if step.function is None else not lent.isdisjoint(step.reads)
            if lends:
                lent.update(step.writes)
    return lent


def _is_lender(kernel: Kernel) -> bool:
    return not kernel.gives_new_arrays or keeps_outputs(kernel)
