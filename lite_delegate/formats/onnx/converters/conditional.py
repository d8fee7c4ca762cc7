"""ONNX's If: the branch itself where the condition is known, else two subgraphs and a Switch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....basics.counted import counted
from ....ir import Value
from ...rejection import NotConvertible, Why
from ..control.lost import Lost
from ..control.subgraphs import Inside, call, convert_graph, joined, partial, switch, truth, without_value
from ..conversion import Converter, OnnxNode, Outputs

if TYPE_CHECKING:
    import onnx


def _if(node: OnnxNode) -> Outputs:
    condition = node.x(0)
    known = truth(node.known(condition))
    if known is not None:
        return _inline(node, node.attributes["then_branch" if known else "else_branch"])
    node.reject_unless(
        node.dtype(condition).kind == "b", Why.DTYPE, f"cond must be bool, found {node.dtype(condition)}"
    )
    yes, no = Inside(node, "then"), Inside(node, "else")
    results = _converted(node, yes, no)
    if len(results[0]) != len(results[1]):
        raise NotConvertible(Why.ATTRIBUTE, f"branches give {len(results[0])} and {counted(len(results[1]), 'output')}")
    specs = [
        joined(without_value(yes.node.spec(a)), without_value(no.node.spec(b))) for a, b in zip(*results, strict=True)
    ]
    node.reject_unless(all(s.dtype != object for s in specs), Why.OPERATOR, "a choice between two sequences")
    handles = []
    for branch, outputs, label in ((yes, results[0], "then"), (no, results[1], "else")):
        graph = branch.finish(f"{node.name}/{label}", list(branch.captured.values()), outputs)
        handles.append(partial(node, label, node.importer.add_graph(graph), list(branch.captured)))
    return call(node, switch(node, condition, *handles), specs)


def _converted(node: OnnxNode, yes: Inside, no: Inside) -> list[list[Value]]:
    """The results of the branches. Both branches are converted before a rejection in a branch ends the conversion."""
    results = []
    for branch, name in ((yes, "then_branch"), (no, "else_branch")):
        try:
            results.append(branch.convert(node.attributes[name], []))
        except Lost:
            continue
    if len(results) < 2:
        raise Lost
    return results


def _inline(node: OnnxNode, branch: onnx.GraphProto) -> list[Value]:
    """The branch's nodes in place of the node."""
    scope = replace(node.inner_scope(), values=dict(node.scope.values), lost=set(node.scope.lost))
    return convert_graph(replace(node, scope=scope), branch, [])


CONVERTERS: dict[str, Converter] = {"If": _if}
