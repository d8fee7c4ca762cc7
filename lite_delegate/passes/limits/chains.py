"""Chains: movers behind each other, and the form within a delegate's limits that takes their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...basics.data_class import dataclass
from ...ir import Node, Value, constant, index_array, make_primitive
from ..framework.draft import Draft
from .facts import RewriteFacts
from .forms import Form, Permuted, Reshaped, Sliced, Step, forms_of, shape_after
from .movement import Movement, Shape
from .movers import is_mover, moved
from .rewrite import Rewrite, rewrite_of, sources_of

MOVEMENT = "movement"
"""The rule that these rewrites name."""


@dataclass(frozen=True, slots=True)
class MoverChain:
    """Movers, each of which reads the output of the mover before it.

    Attributes:
        root: the value that the first mover reads.
        links: the nodes, each with the number of its output.
        movement: the movement of all links together.
    """

    root: Value
    links: tuple[tuple[Node, int], ...]
    movement: Movement

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, the first one first."""
        return tuple(node for node, _ in self.links)


def rewrite_chains(facts: RewriteFacts) -> Iterator[Rewrite]:
    """Rewrites each chain of movers whose result a node other than a mover reads.

    A form replaces the chain if the delegate rejects fewer of its nodes, or as many where the form has fewer nodes. A
    form of which the delegate takes no node never replaces a chain.
    """
    waiting = [value for node in facts.draft.nodes() for value in node.outputs if _is_end(value, facts)]
    done: set[Value] = set()
    while waiting:
        value = waiting.pop(0)
        chain = None if value in done else chain_to(value, facts)
        done.add(value)
        if chain is None:
            continue
        waiting.append(chain.root)
        rewrite = _rewritten(chain, value, facts)
        if rewrite is not None:
            yield rewrite


def chain_to(value: Value, facts: RewriteFacts) -> MoverChain | None:
    """The longest chain that gives a value; None where no mover gives the value.

    The chain does not reach beyond a value that other nodes read as well, if the delegate takes the value's node.
    """
    links: list[tuple[Node, int]] = []
    start = value
    while (link := _link_to(start, facts)) is not None:
        if links and _is_shared(start, link[0], facts):
            break
        links.insert(0, link)
        start = link[0].inputs[0]  # type: ignore[assignment]
    return _composed(links, facts)


def _composed(links: Sequence[tuple[Node, int]], facts: RewriteFacts) -> MoverChain | None:
    """The longest chain of last links that together are a movement."""
    chain = None
    for node, output in links:
        if chain is not None:
            movement = moved(node, output, chain.movement, facts)
            if movement is not None:
                chain = MoverChain(chain.root, (*chain.links, (node, output)), movement)
                continue
        root = node.inputs[0]
        shape = facts.shape(root)
        movement = None if shape is None else moved(node, output, Movement.of(shape), facts)
        chain = None if root is None or movement is None else MoverChain(root, ((node, output),), movement)
    return chain


def _link_to(value: Value, facts: RewriteFacts) -> tuple[Node, int] | None:
    node = facts.draft.producer(value)
    return None if node is None or not is_mover(node, facts) else (node, node.outputs.index(value))


def _is_shared(value: Value, maker: Node, facts: RewriteFacts) -> bool:
    """True for a value that the delegate has anyway, because other nodes read it."""
    return facts.draft.only_reader(value) is None and not facts.is_tall(value) and facts.ask(maker) is None


def _is_end(value: Value, facts: RewriteFacts) -> bool:
    """True where something is done with a value that is no movement, or several things that the device can do."""
    readers = facts.draft.readers(value)
    read_otherwise = any(r.inputs[0] is not value or not is_mover(r, facts) for r in readers)
    is_shared = len(readers) > 1 and not facts.is_tall(value)
    is_needed = facts.draft.is_output(value) or read_otherwise or is_shared
    return is_needed and _link_to(value, facts) is not None


def _rewritten(chain: MoverChain, value: Value, facts: RewriteFacts) -> Rewrite | None:
    """The rewrite of a chain that was made, None where it stays."""
    before = [rejection for node in chain.nodes if (rejection := facts.ask(node)) is not None]
    lone = _lone(chain, facts)
    if not before and lone < 2:
        return None
    found = [_nodes_for(form, chain, value, facts) for form in forms_of(chain.movement, facts.limits)]
    scored = [(sum(facts.ask(node) is not None for node in nodes), len(nodes), nodes) for nodes in found]
    rejected, count, nodes = min(scored, key=lambda each: each[:2], default=(len(before), lone, []))
    is_better = rejected < len(before) or (rejected == len(before) and count < lone)
    is_for_nothing = 0 < rejected == count
    if not is_better or is_for_nothing or not _put(chain, nodes, value, facts.draft):
        return None
    return rewrite_of(MOVEMENT, chain.nodes, nodes, before)


def _lone(chain: MoverChain, facts: RewriteFacts) -> int:
    """The number of nodes that nobody needs any more once the last output of a chain comes from elsewhere."""
    count = 0
    for node in reversed(chain.nodes):
        if len(node.outputs) != 1 or (count and facts.draft.only_reader(node.outputs[0]) is None):
            break
        count += 1
    return count


def _put(chain: MoverChain, nodes: Sequence[Node], value: Value, draft: Draft) -> bool:
    """Puts nodes in the place of the last one of a chain. False where an output of the graph needs it."""
    last, output = chain.links[-1]
    if not nodes:
        return len(last.outputs) == 1 and draft.drop_identity(last, chain.root)
    if len(last.outputs) == 1:
        draft.replace([last], nodes)
        return True
    rest = list(last.outputs)
    rest[output] = replace(value, name=f"{value.name}/unused")
    draft.replace([last], [replace(last, outputs=rest), *nodes])
    return True


def _nodes_for(form: Form, chain: MoverChain, value: Value, facts: RewriteFacts) -> list[Node]:
    """The nodes for the steps of a form, the last of which gives ``value``."""
    last = chain.nodes[-1]
    source, shape, nodes = chain.root, chain.movement.root, list[Node]()
    sources = sources_of(chain.nodes)
    for number, step in enumerate(form):
        is_last = number == len(form) - 1
        name = last.name if is_last else f"{last.name}/{_WORDS[type(step)]}{number or ''}"
        made = shape_after(shape, step)
        result = value if is_last else Value(f"{name}:0", value.dtype, made, quant_params=value.quant_params)
        nodes.append(replace(_node(name, step, source, shape, result, last, facts), sources=sources))
        source, shape = result, made
    return nodes


def _node(name: str, step: Step, source: Value, shape: Shape, result: Value, like: Node, facts: RewriteFacts) -> Node:
    def ints(word: str, numbers: Sequence[int]) -> Value:
        return constant(f"{name}/{word}", index_array(numbers))

    def node(op_type: str, *more: Value) -> Node:
        return Node(name, make_primitive(op_type), [source, *more], [result], like.quant_type)

    match step:
        case Reshaped(made):
            return node("Reshape", ints("shape", made))
        case Permuted(axes):
            return node("Transpose", ints("perm", axes))
        case Sliced(begin, size):
            boxed = node("SliceFusion", ints("begin", begin), ints("size", size))
            if facts.ask(boxed) is None:
                return boxed
            ends = [b + s for b, s in zip(begin, size, strict=True)]
            ones = [1] * len(shape)
            return node("StridedSlice", ints("begin", begin), ints("end", ends), ints("strides", ones))


_WORDS = {Reshaped: "reshape", Permuted: "transpose", Sliced: "slice"}
