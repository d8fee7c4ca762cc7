"""IF: a Switch between two graphs, and a Call of the chosen graph."""

from __future__ import annotations

from ..conversion import Converter, OperatorConversion
from ..subgraphs import CallNodes


def if_(c: OperatorConversion) -> None:
    """PartialFusion for each branch, Switch and Call."""
    options, arguments = c.option("IfOptions"), c.given()[1:]
    branches = [c.called(options[f"{name}_subgraph_index"]) for name in ("then", "else")]
    nodes = CallNodes(c.operator.name, c.operator.source)
    chosen = nodes.choose(c.x(), *((number, arguments) for number in branches))
    nodes.call(chosen, list(c.operator.outputs), is_tail=False)
    c.nodes.extend(nodes.made)


CONVERTERS: dict[str, Converter] = {"IF": if_}
"""Converters of this file by the schema's names."""
