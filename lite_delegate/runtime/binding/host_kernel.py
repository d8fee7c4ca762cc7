"""The kernel of a node that the runtime itself runs: control flow, lists, variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...ir import Node
from ...ir.traits import ASSIGNMENTS
from ...tensors.tensor import Tensor
from .host import HostOperator
from .node_kernel import NodeKernel


class HostKernel(NodeKernel):
    """A node that no delegate is asked for.

    Args:
        name, node, inputs, outputs: as for ``NodeKernel``.
        operator: the control flow, list or variable operator of the node.
    """

    def __init__(
        self,
        name: str,
        node: Node,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        operator: HostOperator,
    ) -> None:
        attributes = {**node.primitive.attributes(), **_growth(node)}
        super().__init__(name, node, inputs, outputs, partial(operator.run, **attributes))
        self.reason = operator.reason

    @property
    def is_call(self) -> bool:
        """True for Call, which a run executes by running the plan of a subgraph."""
        return self.type == "Call"

    @property
    def assigned(self) -> tuple[Tensor, ...]:
        """The variable that the node changes besides giving its outputs."""
        return self.inputs[:1] if self.type in ASSIGNMENTS else ()


def _growth(node: Node) -> dict[str, tuple[int, ...]]:
    """The shape of the variable that a node changes, where dimensions of it are open."""
    variable = node.inputs[0] if node.op_type in ASSIGNMENTS else None
    if variable is None or variable.shape is None or -1 not in variable.shape:
        return {}
    return {"declared": variable.shape}
