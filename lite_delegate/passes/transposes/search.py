"""The search for the orders of axes with which transposes move the fewest elements."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from ...ir import Node, Value
from ...ir.axes import Axes, compose, inverse
from .contract import Label
from .network import Flow, Labels, Network


def best_labels(network: Network) -> dict[Node, Label]:
    """Labels with which no single move saves elements.

    A move picks a value that is transposed and one of its orders, and spreads this order to all nodes around that can
    take it, across as many values as possible. Nodes that cost less in their old order then go back. Each move that is
    kept saves at least one element, so the search ends.
    """
    labels: dict[Node, Label] = {}
    while _sweep(network, labels):
        continue
    return labels


def total_cost(network: Network, labels: Labels) -> int:
    """The elements that transposes move with these labels, and their number."""
    return sum(network.cost(flow, labels) for flow in network.flows.values())


def _sweep(network: Network, labels: dict[Node, Label]) -> bool:
    """Tries every move once; True when one was kept."""
    kept = False
    for flow in network.flows.values():
        if network.cost(flow, labels):
            for order in list(network.orders(flow, labels)):
                kept = _move(network, labels, flow, order) or kept
    return kept


def _move(network: Network, labels: dict[Node, Label], flow: Flow, order: Axes) -> bool:
    proposal = {n: label for n, label in spread(network, flow, order).items() if labels.get(n) != label}
    candidate = {**labels, **proposal}
    _send_back(network, labels, candidate, proposal)
    touched = _around(network, [node for node in proposal if candidate.get(node) != labels.get(node)])
    if sum(network.cost(f, candidate) for f in touched) >= sum(network.cost(f, labels) for f in touched):
        return False
    labels.clear()
    labels.update(candidate)
    return True


def spread(network: Network, flow: Flow, order: Axes) -> dict[Node, Label]:
    """Labels for all nodes around a value that can take it in this order, and for the nodes around them, and so on."""
    orders: dict[Value, Axes] = {flow.root: order}
    found: dict[Node, Label] = {}
    queue = deque([flow])
    while queue:
        current = queue.popleft()
        for node, label in _takers(network, current, orders[current.root]):
            if node in found:
                continue
            found[node] = label
            for root, axes in _reached(network, node, label):
                if root in network.flows and root not in orders:
                    orders[root] = axes
                    queue.append(network.flows[root])
    return found


def _takers(network: Network, flow: Flow, order: Axes) -> Iterable[tuple[Node, Label]]:
    """The nodes that make or read a value, with the label under which they do so in this order."""
    made_by = None if flow.maker is None else network.contracts.get(flow.maker)
    label = None if made_by is None else made_by.from_results(order)
    if made_by is not None and label is not None:
        yield made_by.node, label
    for use in flow.uses:
        contract = None if use.node is None else network.contracts.get(use.node)
        if contract is not None and _moves(network, flow, contract.node):
            label = contract.from_operands(compose(inverse(use.axes), order))
            if label is not None:
                yield contract.node, label


def _moves(network: Network, flow: Flow, node: Node) -> bool:
    """True when a value is among the operands of a node that are permuted."""
    return any(root is flow.root for root, _ in network.operands(node))


def _reached(network: Network, node: Node, label: Label) -> Iterable[tuple[Value, Axes]]:
    for root, axes in network.operands(node):
        yield root, compose(axes, label.operands)
    for value in node.outputs:
        yield value, label.results


def _send_back(network: Network, labels: Labels, candidate: dict[Node, Label], proposal: Iterable[Node]) -> None:
    """Gives nodes the label that they had, one after another, as long as that costs no more."""
    waiting = deque(proposal)
    while waiting:
        node = waiting.pop()
        if candidate.get(node) == labels.get(node):
            continue
        flows, new = network.around(node), candidate[node]
        cost = sum(network.cost(f, candidate) for f in flows)
        _set(candidate, node, labels.get(node))
        if sum(network.cost(f, candidate) for f in flows) > cost:
            candidate[node] = new
        else:
            waiting.extend(_neighbors(network, flows, candidate))


def _set(labels: dict[Node, Label], node: Node, label: Label | None) -> None:
    if label is None:
        labels.pop(node, None)
    else:
        labels[node] = label


def _neighbors(network: Network, flows: Iterable[Flow], labels: Labels) -> list[Node]:
    nodes = [n for f in flows for n in (f.maker, *(use.node for use in f.uses)) if n is not None]
    return [n for n in dict.fromkeys(nodes) if n in labels and n in network.contracts]


def _around(network: Network, nodes: Iterable[Node]) -> list[Flow]:
    return list(dict.fromkeys(flow for node in nodes for flow in network.around(node)))
