"""Delegates with a device that cannot compile, hold or run everything, and that count what the device holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..delegate import Boundary, DelegateModel, DeviceEstimate, Kernel, LayerEstimate, SupportResult
from ..errors import DelegateBuildError, DelegateExecuteError, DeviceLost, ResizeUnsupported
from ..runtime.binding.node_kernel import NodeKernel
from ..tensors.tensor import Tensor
from .delegates import GroupKernel, NamedDelegate, WalkingDelegate

LAUNCH_US = 3.0
"""Microseconds that a device is said to take to start a graph kernel."""
TRANSFER_US = 2.0
"""The same to move a tensor to the device or back."""


@dataclass(frozen=True)
class PlantedFaults(Brief):
    """The things that a device cannot do.

    Attributes:
        alone: nodes that it cannot compile.
        together: nodes that it cannot compile together.
        most: nodes that a subgraph may have.
        room: nodes that are held at a time.
        at_prepare: whether it fails when kernels are prepared, not when they are made.
        lost_at: the graph kernel with which the device goes away, counted from 1; 0 for never.
        execute: whether every second call of a graph kernel fails, the first one first.
        follows: whether graph kernels can be forked and follow new shapes.
        one_name: whether it calls all graph kernels the same.
    """

    alone: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    most: int = 1000
    room: int = 1000
    at_prepare: bool = False
    lost_at: int = 0
    execute: bool = False
    follows: bool = False
    one_name: bool = False


class HeldKernel(GroupKernel):
    """Holds a place on its device from when it is prepared until it is released; forks hold none."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel], delegate: FaultyDelegate) -> None:
        super().__init__(name, boundary, kernels)
        self.delegate, self.calls = delegate, 0

    def prepare(self) -> None:
        """Takes its place.

        Raises:
            DelegateBuildError: the device is full, or cannot compile the nodes.
            DeviceLost: the device is gone.
        """
        delegate, faults = self.delegate, self.delegate.faults
        used = sum(len(kernel.kernels) for kernel in delegate.held)
        delegate.held.append(self)
        if faults.at_prepare:
            delegate.complain(self.kernels)
        if faults.at_prepare and faults.lost_at and delegate.count >= faults.lost_at:
            raise DeviceLost("the device is gone")
        if used + len(self.kernels) > faults.room:
            raise DelegateBuildError("the device is full")

    def release(self) -> None:
        """Gives its place back."""
        self.delegate.released.append(self)
        self.delegate.held.remove(self)

    def execute(self) -> None:
        """Runs the kernels.

        Raises:
            DelegateExecuteError: in every second call, where the device is to fail.
        """
        self.calls += 1
        if self.delegate.faults.execute and self.calls % 2:
            raise DelegateExecuteError("the device hiccups")
        super().execute()

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        """A ``Follower``, where graph kernels can be forked."""
        return Follower(self, inputs, outputs) if self.delegate.faults.follows else None

    def estimate(self) -> DeviceEstimate:
        """The delegate's times of the nodes, with the time to start it and to move its tensors."""
        us = self.delegate.us
        layers = tuple(LayerEstimate(k.name, "Do", (k.name,), us.get(k.name, 1.0)) for k in self.kernels)
        enters, leaves = (TRANSFER_US,) * len(self.inputs), (TRANSFER_US,) * len(self.outputs)
        total = LAUNCH_US + sum(layer.estimated_us for layer in layers) + sum(enters) + sum(leaves)
        return DeviceEstimate(total, layers=layers, launch_us=LAUNCH_US, input_us=enters, output_us=leaves)


class Follower(Kernel):
    """A fork, neither prepared nor released: runs the functions of the nodes on the arrays of its own tensors."""

    def __init__(self, first: HeldKernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        super().__init__(first.name, first.type, inputs, outputs)
        self.first = first

    def execute(self) -> None:
        """Runs the nodes' functions."""
        first = self.first
        known = {t: mine.data for t, mine in zip(first.inputs, self.inputs, strict=True)}
        for kernel in first.kernels:
            assert isinstance(kernel, NodeKernel)
            assert kernel.function is not None
            reads = [None if t is None else t.data if t.is_const else known[t] for t in kernel.operands]
            made = kernel.function(*reads)
            known.update(zip(kernel.outputs, made if isinstance(made, tuple | list) else (made,), strict=True))
        for tensor, mine in zip(first.outputs, self.outputs, strict=True):
            mine.data = known[tensor]

    def prepare(self) -> None:
        """Notes the misuse."""
        self.first.delegate.misused.append("prepare")

    def release(self) -> None:
        """Notes the misuse."""
        self.first.delegate.misused.append("release")

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        """Another fork of the same graph kernel."""
        return Follower(self.first, inputs, outputs)

    def resize(self) -> None:
        """Follows new shapes.

        Raises:
            ResizeUnsupported: it has more than two inputs.
        """
        if len(self.inputs) > 2:
            raise ResizeUnsupported("more than two inputs")


class FaultyDelegate(NamedDelegate):
    """Claims by name, has faults, and counts what its device holds.

    Args:
        name: of the delegate.
        names: of the kernels that it claims.
        faults: what its device cannot do.
        us: microseconds that its device is said to take for nodes, by name; 1 for others.

    Attributes:
        held: the graph kernels that are prepared and not released.
        released: those that were released.
        misused: calls that a fork must not get: ``"prepare"``, ``"release"``.
        count: how many graph kernels it was asked for.
    """

    is_simulated = True

    def __init__(self, name: str, names: Sequence[str], faults: PlantedFaults, us: Mapping[str, float]) -> None:
        super().__init__(names)
        self.name, self.faults, self.us = name, faults, us
        self.held: list[HeldKernel] = []
        self.released: list[HeldKernel] = []
        self.misused: list[str] = []
        self.count = 0

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        """``TRANSFER_US``."""
        return TRANSFER_US

    def complain(self, run: Sequence[Kernel]) -> None:
        """Looks for faults in nodes that are to be one graph kernel.

        Raises:
            DelegateBuildError: the device cannot compile them.
        """
        names, faults = {k.name for k in run}, self.faults
        if names & faults.alone or (faults.together and faults.together <= names) or len(names) > faults.most:
            raise DelegateBuildError(f"cannot compile {counted(len(run), 'node')}")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """A ``HeldKernel``.

        Raises:
            DelegateBuildError: the device cannot compile the nodes, or is gone.
        """
        self.count += 1
        if not self.faults.at_prepare and self.faults.lost_at and self.count >= self.faults.lost_at:
            raise DelegateBuildError("lost") from DeviceLost("the device is gone")
        if not self.faults.at_prepare:
            self.complain(run)
        name = "Graph" if self.faults.one_name else f"Graph{len(model) % 5}_{run[0].name}"
        return HeldKernel(name, model.boundary_of(run), run, self)


class FaultyWalkingDelegate(WalkingDelegate, FaultyDelegate):
    """A faulty delegate that does not state its claims."""

    def __init__(self, name: str, names: Sequence[str], faults: PlantedFaults, us: Mapping[str, float]) -> None:
        FaultyDelegate.__init__(self, name, names, faults, us)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """A ``HeldKernel``, as of ``FaultyDelegate``."""
        return FaultyDelegate.create_graph_kernel(self, run, model)

    def supports(self, kernel: Kernel) -> SupportResult | None:
        """Nothing."""
        return None
