"""Lending: which outputs of a model may be memory of a graph kernel, and not the prediction's own."""

from __future__ import annotations

from .plan import GraphPlan


def lent_outputs(graph: GraphPlan) -> frozenset[int]:
    """Positions of a graph's outputs that may be, or be views of, arrays that a graph kernel writes to again.

    A graph kernel that says so (``Kernel.gives_new_arrays``) lends nothing. CPU kernels may hand on what they read, as
    a reshape does, so what they make of something lent counts as lent.
    """
    lent: set[int] = set()
    for segment in graph.segments:
        for step in segment.steps:
            lends = not step.kernel.gives_new_arrays if step.function is None else not lent.isdisjoint(step.reads)
            if lends:
                lent.update(step.writes)
    return frozenset(i for i, slot in enumerate(graph.output_slots) if slot in lent)
