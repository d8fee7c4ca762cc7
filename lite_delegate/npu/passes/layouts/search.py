"""The search for the orders of axes with which a module moves the fewest bytes."""

from __future__ import annotations

from collections import deque
from dataclasses import field

from ....basics.data_class import dataclass
from ....ir.axes import Axes, compose, inverse
from .cut import UNBOUNDED, Cut
from .network import Labels, MadeBuffer, ModuleNetwork, read_as
from .regroup import signature


@dataclass(slots=True)
class Proposal:
    """New labels for the steps around a value, any subset of which makes sense.

    Attributes:
        orders: for each value around, the order in which all steps with a new label make or read it.
        labels: the new labels.
    """

    orders: dict[int, Axes] = field(default_factory=dict)
    labels: dict[int, Axes] = field(default_factory=dict)


def best_labels(network: ModuleNetwork) -> dict[int, Axes]:
    """Labels with which no single move saves bytes.

    A move picks a value that is permuted, one of the orders that it is in, and spreads this order to all steps
    around that can take it, across as many values as it goes; then a minimum cut says which of these steps take it
    so that as few bytes as possible are moved. Each move that is kept saves at least a byte, so this ends.
    """
    labels: dict[int, Axes] = {}
    while _sweep(network, labels):
        continue
    return labels


def total_cost(network: ModuleNetwork, labels: Labels) -> int:
    """The bytes that permutes move with these labels."""
    return sum([network.cost(value, labels) for value in network.values.values()])


def _sweep(network: ModuleNetwork, labels: dict[int, Axes]) -> bool:
    """Tries every move once; True when one was kept."""
    kept = False
    for value in network.values.values():
        if network.cost(value, labels):
            for order in network.presentations(value, labels).values():
                kept = _move(network, labels, value, order) or kept
    return kept


def _move(network: ModuleNetwork, labels: dict[int, Axes], value: MadeBuffer, order: Axes) -> bool:
    proposal = spread(network, value, order)
    switched = cheapest(network, labels, proposal)
    candidate = {**labels, **{node: proposal.labels[node] for node in switched}}
    touched = [network.values[root] for root in proposal.orders]
    before, after = ([network.cost(v, each) for v in touched] for each in (labels, candidate))
    if sum(after) >= sum(before):
        return False
    labels.update(candidate)
    return True


def spread(network: ModuleNetwork, value: MadeBuffer, order: Axes) -> Proposal:
    """Labels for all steps around ``value`` that can take it in this order, and the steps around them, and so on."""
    proposal = Proposal({value.root: order})
    queue = deque([value])
    while queue:
        current = queue.popleft()
        wanted = proposal.orders[current.root]
        offers = [(use.node, compose(inverse(use.axes), wanted)) for use in current.uses]
        label = network.movers[current.root].operand(wanted)
        if label is not None:
            offers.insert(0, (current.root, label))
        for node, offered in offers:
            queue.extend(_take(network, proposal, node, offered))
    return proposal


def _take(network: ModuleNetwork, proposal: Proposal, node: int, label: Axes) -> list[MadeBuffer]:
    """Gives a step a label that it can take without contradicting other labels. Returns the newly reached values."""
    result = network.movers[node].result(label)
    if result is None or node in proposal.labels:
        return []
    orders = {root: read_as(axes, label) for root, axes in network.reads.get(node, ())} | {node: result}
    for root, axes in [*network.reads.get(node, ()), (node, ())]:
        value = network.values.get(root)
        if value is not None and not value.is_trivial:
            known = proposal.orders.get(root, orders[root])
            read = result if root == node else read_as(axes, label)
            if signature(value.shape, known) != signature(value.shape, read):
                return []
    proposal.labels[node] = label
    reached = [network.values[r] for r in orders if r in network.values and not network.values[r].is_trivial]
    fresh = [value for value in reached if value.root not in proposal.orders]
    proposal.orders.update({value.root: orders[value.root] for value in fresh})
    return fresh


def cheapest(network: ModuleNetwork, labels: Labels, proposal: Proposal) -> set[int]:
    """The steps to give their new label so that the values around cost as little as any choice of steps can make them.

    A value costs its size for each order beyond the first. With each step either staying or switching, an order
    counts when not all that had it switch, and the new one when one switches to it: a sum of terms that a cut can
    count.
    """
    cut = Cut()
    for root, order in proposal.orders.items():
        _count(cut, network, network.values[root], order, labels, proposal)
    return {node for node in cut.switched() if isinstance(node, int)}


def _count(
    cut: Cut, network: ModuleNetwork, value: MadeBuffer, order: Axes, labels: Labels, proposal: Proposal
) -> None:
    new = signature(value.shape, order)
    groups: dict[Axes, list[int]] = {}
    groups.setdefault(signature(value.shape, network.made(value.root, labels)), []).append(value.root)
    for use in value.uses:
        kept = signature(value.shape, read_as(use.axes, labels.get(use.node)))
        groups.setdefault(kept, []).append(use.node)
    for kept, nodes in groups.items():
        if kept != new and all(node in proposal.labels for node in nodes):
            cut.add(("old", value.root, kept), Cut.SWITCH, value.nbytes)
            for node in nodes:
                cut.add(node, ("old", value.root, kept), UNBOUNDED)
    if new not in groups:
        cut.add(Cut.STAY, ("new", value.root), value.nbytes)
        for nodes in groups.values():
            for node in filter(proposal.labels.__contains__, nodes):
                cut.add(("new", value.root), node, UNBOUNDED)
