"""The kernel of one node of the model, bound to the function that the CPU runs for it, if there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from lite_delegate_kernels import Array, KernelInputError, as_tuple

from ...delegate import Kernel
from ...errors import KernelError, UnsupportedOperatorError
from ...ir import Node
from ...tensors.tensor import Tensor
from ..budget import NO_WORK, KernelWork


class NodeKernel(Kernel):
    """A node of the model as the delegate sees it, and as the CPU runs it when it is left over.

    Args:
        name: unique within the model.
        node: the node of the graph.
        inputs: its tensors, None where an optional one is absent.
        outputs: its tensors.
        function: computes the outputs from the inputs; None when the CPU has no kernel for the operator and the
            element type.
        work: the memory and the steps that the function takes beside inputs and outputs.
    """

    def __init__(
        self,
        name: str,
        node: Node,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        function: Callable[..., Array | tuple[Array, ...]] | None,
        work: KernelWork = NO_WORK,
    ) -> None:
        super().__init__(name, node.op_type, inputs, outputs, node.primitive)
        self.node = node
        self.quant_type = node.quant_type
        self.sources = node.sources
        self.function = function
        self.work = work

    def execute(self) -> None:
        """Runs the CPU's kernel on the tensors.

        Raises:
            UnsupportedOperatorError: the CPU has no kernel for this node.
            KernelError: the inputs do not fit the operator.
        """
        if self.function is None:
            raise UnsupportedOperatorError(f"Node '{self.name}' ({self.type}): the CPU has no kernel for it.")
        arrays = [None if t is None else t.data for t in self.operands]
        try:
            with np.errstate(all="ignore"):
                result = self.function(*arrays)
        except KernelInputError as e:
            raise KernelError(f"Node '{self.name}' ({self.type}): {e}.") from e
        for tensor, array in zip(self.outputs, as_tuple(result), strict=False):
            tensor.data = np.asanyarray(array)  # integers may carry what they stand for
