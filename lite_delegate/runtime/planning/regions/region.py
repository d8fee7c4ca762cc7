"""Region: a loop or a choice as one kernel, and the graph of calls by which regions are recognized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite_delegate_kernels import ArraySpec

from ....basics.data_class import dataclass
from ....delegate import Branches, Rounds
from ....ir import Node, to_numpy
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from .inlining import target_of


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A loop or a choice.

    Attributes:
        call: the kernel whose place it takes.
        index: the number of the graph that the call is in.
        nodes: the nodes of the graph that the region replaces.
        graphs: numbers of the subgraphs that it runs.
        inputs: the inputs of the kernel that stands for the region, as pairs of a node and an operand position.
        control_flow: the loop or choice.
        outputs: the specs of its outputs.
    """

    call: HostKernel
    index: int
    nodes: tuple[Node, ...]
    graphs: tuple[int, ...]
    inputs: tuple[tuple[NodeKernel, int], ...]
    control_flow: Branches | Rounds
    outputs: tuple[ArraySpec, ...]


class NoRegion(Exception):
    """Why a call is none that a delegate can take whole, for people."""


class CallGraph:
    """A graph by the kernels that make and that read its tensors."""

    def __init__(self, graph: BoundGraph) -> None:
        self.graph = graph
        self.makers = {tensor: kernel for kernel in graph.kernels for tensor in kernel.outputs}
        self.readers: dict[Tensor, list[NodeKernel]] = {}
        for kernel in graph.kernels:
            for tensor in dict.fromkeys(kernel.inputs):
                self.readers.setdefault(tensor, []).append(kernel)
        self.host = [kernel for kernel in graph.kernels if isinstance(kernel, HostKernel)]
        self.calls = [kernel for kernel in self.host if kernel.is_call]

    @property
    def others(self) -> tuple[NodeKernel, ...]:
        """The kernels that the runtime does not run itself."""
        return tuple(kernel for kernel in self.graph.kernels if not isinstance(kernel, HostKernel))

    def maker(self, tensor: Tensor, op_type: str) -> NodeKernel:
        """The node of a type that gives a tensor."""
        found = self.makers.get(tensor)
        wanted(found is not None and found.type == op_type, f"{op_type} must give '{tensor.name}'")
        assert found is not None
        return found

    def alone(self, kernel: NodeKernel, readers: Sequence[NodeKernel]) -> NodeKernel:
        """A node whose result is read only by given nodes."""
        (result,) = kernel.outputs
        are_all = all(reader in readers for reader in self.readers.get(result, ()))
        wanted(are_all and result not in self.graph.outputs, f"nothing else may read '{result.name}'")
        return kernel

    def tail(self) -> HostKernel:
        """The call whose results are the graph's."""
        wanted(len(self.calls) == 1, "a round may call nothing but the next one")
        (call,) = self.calls
        wanted(call.outputs == self.graph.outputs, "a round must end with a call")
        return call


def wanted(condition: bool, why: str) -> None:
    """Says why a call is no region unless a condition holds.

    Raises:
        NoRegion: it does not.
    """
    if not condition:
        raise NoRegion(why)


def target_graph(partial: NodeKernel, known: Mapping[int, CallGraph]) -> CallGraph:
    """The graph that a PartialFusion is of.

    Raises:
        NoRegion: it is never called.
    """
    index = target_of(partial.node)
    wanted(index in known, f"subgraph {index} is never called")
    return known[index]


def spec_of(tensor: Tensor) -> ArraySpec:
    """Element type and shape of a tensor.

    Raises:
        NoRegion: the shape is not known.
    """
    wanted(tensor.has_known_shape, f"shapes must be known, '{tensor.name}' has {tensor.shape}")
    return ArraySpec(to_numpy(tensor.dtype), tuple(tensor.shape))
