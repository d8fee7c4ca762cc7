"""Reports made by hand, so that what a page should show is known without the code that makes reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lite_delegate import RejectCode
from lite_delegate.report import PartitionReport
from lite_delegate.runtime.records.records import DelegateRecord, NodeRecord, SubgraphRecord, TensorRecord

EVIL = "</script><script>alert(1)</script><!--"
"""A name that would end the data, were it embedded as it is."""


def tensor(number: int, name: str = "", nbytes: int = 64, *, constant: bool = False) -> TensorRecord:
    return TensorRecord(number, name or f"t{number}", "FLOAT32", (1, 4, 4), nbytes, constant)


def taken(name: str, op_type: str, inputs: Sequence[TensorRecord], output: TensorRecord, subgraph: str) -> NodeRecord:
    return NodeRecord(
        name, op_type, "npu", subgraph, None, "", attributes={"stride": (2, 2)}, inputs=tuple(inputs), outputs=(output,)
    )


def refused(name: str, op_type: str, inputs: Sequence[TensorRecord], output: TensorRecord, **more: Any) -> NodeRecord:
    reason, hint = f"the device has no {op_type}", f"take a profile with {op_type}"
    code = RejectCode.OPERATOR
    return NodeRecord(
        name, op_type, "CPU", None, code, reason, inputs=tuple(inputs), outputs=(output,), hint=hint, **more
    )


def group(
    name: str, kernels: Sequence[str], inputs: Sequence[TensorRecord], outputs: Sequence[TensorRecord], us: float
) -> SubgraphRecord:
    return SubgraphRecord(
        name,
        tuple(kernels),
        tuple(t.name for t in inputs),
        tuple(t.name for t in outputs),
        sum(t.nbytes for t in (*inputs, *outputs)),
        estimated_us=us,
        input_tensors=tuple(inputs),
        output_tensors=tuple(outputs),
    )


def small() -> PartitionReport:
    """x -> conv -> evil (CPU) -> add -> y, where add reads conv as well, and a node beside them that is on no path."""
    x, weight, first, second, last, side = (
        tensor(0, "x"),
        tensor(1, "weight", constant=True),
        tensor(2, "first", 4096),
        tensor(3, "second"),
        tensor(4, "y"),
        tensor(5, "side"),
    )
    nodes = (
        taken("conv", "Conv2DFusion", (x, weight), first, "Group0"),
        refused(EVIL, "Resize", (first,), second),
        taken("add", "AddFusion", (second, first), last, "Group1"),
        refused("beside", "Where", (x,), side),
    )
    return PartitionReport(
        model="models/small.ms",
        delegate="npu",
        kernels_total=4,
        kernels_delegated=2,
        subgraphs=(
            group("Group0", ["conv"], (x,), (first,), 1500.0),
            group("Group1", ["add"], (second, first), (last,), 20.0),
        ),
        minimum_subgraphs=2,
        minimum_proof=("conv", EVIL, "add"),
        nodes=nodes,
        notes=("A note of the model.",),
        inputs=(x,),
        outputs=(last, side),
    )


def with_two_delegates() -> PartitionReport:
    """x -> a (first delegate) -> b (second) -> c (first) -> y: the second one's proof passes through nothing else."""
    x, ab, bc, y = (tensor(i) for i in range(4))
    chain = [("a", x, ab, "G0", "one"), ("b", ab, bc, "G1", "two"), ("c", bc, y, "G2", "one")]
    nodes = tuple(
        NodeRecord(name, "AddFusion", delegate, subgraph, None, "", "", {}, (take,), (give,))
        for name, take, give, subgraph, delegate in chain
    )
    subgraphs = tuple(
        replace(group(subgraph, [name], [take], [give], 1.0), delegate=delegate)
        for name, take, give, subgraph, delegate in chain
    )
    return PartitionReport(
        model="",
        delegate="one, two",
        kernels_total=3,
        kernels_delegated=3,
        subgraphs=subgraphs,
        minimum_subgraphs=3,
        minimum_proof=("a", "b", "c", "b"),
        nodes=nodes,
        inputs=(x,),
        outputs=(y,),
        delegates=(DelegateRecord("one", 2, 2, 2, ("a", "b", "c")), DelegateRecord("two", 1, 1, 1, ("G0", "b"))),
    )


def with_a_subgraph_of_the_model() -> PartitionReport:
    """A call in the main graph, and what it calls."""
    x, y, a, b = (tensor(i) for i in range(4))
    inner = taken("inner", "AddFusion", (a,), b, "Group0")
    return PartitionReport(
        model="",
        delegate="npu",
        kernels_total=2,
        kernels_delegated=1,
        subgraphs=(
            SubgraphRecord(
                "Group0", ("inner",), ("t2",), ("t3",), 128, "body", input_tensors=(a,), output_tensors=(b,)
            ),
        ),
        minimum_subgraphs=1,
        minimum_proof=("inner",),
        nodes=(
            refused("outer", "Call", (x,), y),
            NodeRecord("inner", "AddFusion", "npu", "Group0", None, "", "body", {}, inner.inputs, inner.outputs),
        ),
        inputs=(x,),
        outputs=(y,),
    )


def large(count: int) -> PartitionReport:
    """A residual chain: of each 40 nodes the last 4 are refused; every fourth node also reads one four before it."""
    made = [tensor(i + 1, f"net/block{i // 4}/out{i}", 1000) for i in range(count)]
    x = tensor(0, "image")
    nodes, kernels = [], [i % 40 < 36 for i in range(count)]
    for i in range(count):
        inputs = [made[i - 1] if i else x] + ([made[i - 4]] if i % 4 == 3 and i > 3 else [])
        if kernels[i]:
            op_type = "AddFusion" if len(inputs) > 1 else "Conv2DFusion"
            nodes.append(taken(f"net/block{i // 4}/node{i}", op_type, inputs, made[i], f"Group{i // 40}"))
        else:
            nodes.append(refused(f"net/block{i // 4}/node{i}", "Resize", inputs, made[i]))
    subgraphs = []
    for start in range(0, count, 40):
        end = min(start + 36, count)
        names = [node.name for node in nodes[start:end]]
        subgraphs.append(group(f"Group{start // 40}", names, [nodes[start].inputs[0]], [made[end - 1]], 10.0))
    return PartitionReport(
        model="large.onnx",
        delegate="npu",
        kernels_total=count,
        kernels_delegated=sum(kernels),
        subgraphs=tuple(subgraphs),
        minimum_subgraphs=len(subgraphs),
        minimum_proof=tuple(node.name for node in nodes),
        nodes=tuple(nodes),
        inputs=(x,),
        outputs=(made[-1],),
    )
