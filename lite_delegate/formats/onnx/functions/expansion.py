"""Expansion: the nodes that importing adds to the nodes in a file, and the most that it may add.

A call of one of the model's functions becomes the nodes of its body, and calls in there become nodes again: thirty
functions that each call the next one twice are a thousand million nodes in two thousand bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....errors import LimitError
from ..operators import domain_name
from ..protobuf.messages import FunctionProto, ModelProto, NodeProto

FunctionKey = tuple[str, str, str]
Functions = Mapping[FunctionKey, FunctionProto]
MOST_MADE = 100_000
"""Nodes that calls of functions, and bodies that are converted again, may make."""
MOST_BYTES = 512 * 2**20
"""Bytes that the names and attributes of these may have."""
MAX_DEPTH = 32
"""Functions that may call each other before a model counts as calling itself."""


def functions_of(model: ModelProto) -> dict[FunctionKey, FunctionProto]:
    """The model's own functions, by the operator names of their calls."""
    return {(domain_name(f.domain), f.name, f.overload): f for f in model.functions}


def called_by(node: NodeProto, functions: Functions) -> FunctionProto | None:
    """The function that a node calls, if it is a call."""
    return functions.get((domain_name(node.domain), node.op_type, node.overload))


class Expansion:
    """The nodes of one model while they are made.

    Args:
        model: the model, whose own nodes do not count.
    """

    def __init__(self, model: ModelProto) -> None:
        self._nodes = sum(1 for _ in _all_nodes(model.graph.node))
        self._bytes = 0

    def add(self, node: NodeProto, prefix: str, depth: int) -> None:
        """Counts a node that is about to be converted.

        Args:
            node: the node.
            prefix: the beginning of the names of the node and of its values.
            depth: the number of functions and graphs around the node.

        Raises:
            LimitError: the nodes, or their names and attributes, take too much.
        """
        self._nodes -= 1
        if depth:
            self._bytes += node.ByteSize() + len(prefix) * (1 + len(node.output))
        if self._nodes < -MOST_MADE:
            raise _too_much()
        if self._bytes > MOST_BYTES:
            raise LimitError(
                f"Calls of the model's functions, or loops in loops, make the names and attributes of nodes take more "
                f"than {MOST_BYTES >> 20} MiB."
            )


def check_expansion(model: ModelProto, functions: Functions) -> None:
    """Checks that calls of functions do not make too many nodes, before the first one is made.

    Functions that call themselves are not followed for ever: the import rejects them.

    Raises:
        LimitError: they do.
    """
    if functions and _made(model.graph.node, functions, {}, 0) > MOST_MADE:
        raise _too_much()


def _made(nodes: Iterable[NodeProto], functions: Functions, known: dict[int, int], depth: int) -> int:
    """The nodes that the calls among nodes make; no number much above ``MOST_MADE`` is worked out."""
    total = 0
    for node in _all_nodes(nodes):
        function = called_by(node, functions)
        if function is None or depth > MAX_DEPTH:
            continue
        if id(function) not in known:
            known[id(function)] = 0  # for calls of itself
            own = sum(1 for _ in _all_nodes(function.node))
            known[id(function)] = own + _made(function.node, functions, known, depth + 1)
        total += known[id(function)]
        if total > MOST_MADE:
            return total
    return total


def _all_nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Nodes, and the nodes of the graphs that they hold."""
    waiting: list[Sequence[NodeProto]] = [list(nodes)]
    while waiting:
        for node in waiting.pop():
            yield node
            for attribute in node.attribute:
                inner = [attribute.g] if attribute.HasField("g") else []
                waiting += [graph.node for graph in (*inner, *attribute.graphs)]


def _too_much() -> LimitError:
    return LimitError(
        f"Calls of the model's functions, or loops in loops, make more than {MOST_MADE:,} nodes, which are the most "
        "that are imported."
    )
