"""Smaller versions of a chain: fewer nodes first, then smaller arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..diagnosis.variants import without_node
from ..judging.case import ConformanceCase
from ..judging.chain import Arrays, Chain, ChainNode
from ..judging.reference import reference_values
from .smaller import smaller_cases


def fewer_nodes(chain: Chain) -> Iterator[Chain]:
    """The chain without its first or last nodes, one output, or a node in the middle.

    What a first node gives becomes an input, with what the reference kernels make of it.

    Raises:
        LiteDelegateError: the chain itself is no model.
    """
    if len(chain.nodes) < 2:
        return
    values = reference_values(chain)
    for node in reversed(chain.nodes):
        yield from _without_last(chain, node)
    for node in chain.nodes:
        yield from _without_first(chain, node, values)
    for name in chain.outputs if len(chain.outputs) > 1 else ():
        yield _pruned(replace(chain, outputs=tuple(n for n in chain.outputs if n != name)))
    for node in chain.nodes:
        if len(node.outputs) == 1 and node.inputs and node.inputs[0] is not None:
            yield _pruned(without_node(chain, node))


def smaller_arrays(chain: Chain) -> Iterator[Chain]:
    """The chain with shorter dimensions, fewer attributes and simpler elements, as a case has them."""
    names = list(chain.arrays)
    view = ConformanceCase(
        chain.name,
        "",
        tuple(chain.arrays.values()),
        (),
        {f"{i} {key}": value for i, node in enumerate(chain.nodes) for key, value in node.attributes.items()},
        frozenset(i for i, name in enumerate(names) if name in chain.constants),
    )
    for candidate in smaller_cases(view):
        arrays = {n: x for n, x in zip(names, candidate.inputs, strict=False) if x is not None}
        if len(arrays) == len(names):
            nodes = tuple(replace(n, attributes=_of(i, candidate)) for i, n in enumerate(chain.nodes))
            yield replace(chain.with_arrays(arrays), nodes=nodes)


def _of(number: int, view: ConformanceCase) -> dict[str, object]:
    head = f"{number} "
    return {key.removeprefix(head): value for key, value in view.attributes.items() if key.startswith(head)}


def _without_last(chain: Chain, node: ChainNode) -> Iterator[Chain]:
    read = {name for other in chain.nodes for name in other.inputs}
    if read.intersection(node.outputs):
        return
    kept = [name for name in chain.outputs if name not in node.outputs]
    made = {name for other in chain.nodes for name in other.outputs}
    kept += [name for name in dict.fromkeys(node.inputs) if name in made and name not in kept and name is not None]
    if kept:
        nodes = tuple(n for n in chain.nodes if n is not node)
        yield _pruned(replace(chain, nodes=nodes, outputs=tuple(kept)))


def _without_first(chain: Chain, node: ChainNode, values: Arrays) -> Iterator[Chain]:
    made = {name for other in chain.nodes for name in other.outputs}
    kept = tuple(name for name in chain.outputs if name not in node.outputs)
    if made.intersection(name for name in node.inputs if name is not None) or not kept:
        return
    nodes = tuple(n for n in chain.nodes if n is not node)
    inputs = {**chain.inputs, **{name: values[name] for name in node.outputs}}
    yield _pruned(replace(chain, nodes=nodes, inputs=inputs, outputs=kept))


def _pruned(chain: Chain) -> Chain:
    """The chain without nodes, inputs and constants that no output depends on."""
    wanted, nodes = set(chain.outputs), []
    for node in reversed(chain.nodes):
        if wanted.intersection(node.outputs):
            nodes.append(node)
            wanted.update(name for name in node.inputs if name is not None)
    return replace(
        chain,
        nodes=tuple(reversed(nodes)),
        inputs={name: x for name, x in chain.inputs.items() if name in wanted},
        constants={name: x for name, x in chain.constants.items() if name in wanted},
    )
