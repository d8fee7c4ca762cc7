"""Options that say how a model is split between the delegate and the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from ...errors import InputError
from ...partition import PartitionOptions
from ...partition.options import PLACEMENTS
from .options import add_options

_F = TypeVar("_F", bound=Callable[..., Any])
_LIMIT = click.IntRange(0)
_OPTIONS = (
    click.option(
        "--placement",
        type=click.Choice(PLACEMENTS),
        default=PartitionOptions().placement,
        show_default=True,
        help="count: the delegate gets all nodes that it claims; cost: the nodes that pay by estimated or measured "
        "times; fastest: the plan that is measured to be, of plans with each delegate, with mixtures and with none.",
    ),
    click.option("--min-kernels", type=_LIMIT, metavar="N", help="Subgraphs of fewer kernels go to the CPU."),
    click.option("--max-subgraphs", type=_LIMIT, metavar="N", help="Keep the N largest subgraphs; 0: none."),
    click.option(
        "--max-kernels-per-subgraph", type=_LIMIT, metavar="N", help="Split larger subgraphs; 0: none is allowed."
    ),
    click.option("--connected", is_flag=True, help="Split subgraphs into parts that no dependency connects."),
    click.option("--allow-type", "allow_types", multiple=True, metavar="TYPE", help="Delegate only these. Repeatable."),
    click.option("--deny-type", "deny_types", multiple=True, metavar="TYPE", help="Keep on the CPU. Repeatable."),
    click.option("--allow-node", "allow_names", multiple=True, metavar="NODE", help="Delegate only these. Repeatable."),
    click.option("--deny-node", "deny_names", multiple=True, metavar="NODE", help="Keep on the CPU. Repeatable."),
    click.option(
        "--group",
        "groups",
        multiple=True,
        callback=lambda context, parameter, texts: parse_groups(texts),
        metavar="A,B,...",
        help="Nodes that stay in one subgraph, or all on the CPU. Repeatable.",
    ),
)
_NAMES = (
    "placement",
    "min_kernels",
    "max_subgraphs",
    "max_kernels_per_subgraph",
    "connected",
    "allow_types",
    "deny_types",
    "allow_names",
    "deny_names",
    "groups",
)


def partition_options(command: _F) -> _F:
    """Adds the options to a command, which gets them as one parameter ``partition``, a ``PartitionOptions``."""

    @wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(name) for name in _NAMES}
        for name in ("allow_types", "allow_names"):
            given[name] = given[name] or None
        return command(*args, partition=PartitionOptions(**given), **kwargs)

    return cast(_F, add_options(with_options, _OPTIONS))


def parse_groups(texts: Sequence[str]) -> tuple[frozenset[str], ...]:
    """``A,B,C`` as a group of nodes, each text one.

    Raises:
        InputError: a text with fewer than two names.
    """
    groups = [frozenset(name.strip() for name in text.split(",")) - {""} for text in texts]
    for text, group in zip(texts, groups, strict=True):
        if len(group) < 2:
            raise InputError(f"--group must be names of two or more nodes, A,B,..., got '{text}'.")
    return tuple(groups)
