"""Delegates whose devices take a time that is known: estimated, or on a clock of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite_delegate import Boundary, DelegateModel, DeviceEstimate, Kernel, LayerEstimate, Tensor
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate

LAUNCH_US = 7.0


class Clock:
    """A clock that stands still but for what is added to it, and for one microsecond with each look if it ticks."""

    def __init__(self, *, ticks: bool = False) -> None:
        self.ns = 0
        self.ticks = ticks

    def __call__(self) -> int:
        self.ns += 1000 * self.ticks
        return self.ns


class EstimatedKernel(GroupKernel):
    """Says what its nodes take: ``LAUNCH_US`` to start, 2 us for each tensor that crosses."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel], us: Mapping[str, float]) -> None:
        super().__init__(name, boundary, kernels)
        self.us = us
        self.released = 0

    def estimate(self) -> DeviceEstimate:
        layers = tuple(LayerEstimate(k.name, "Do", (k.name,), self.us[k.name]) for k in self.kernels)
        enters, leaves = (2.0,) * len(self.inputs), (2.0,) * len(self.outputs)
        total = LAUNCH_US + sum(layer.estimated_us for layer in layers) + sum(enters) + sum(leaves)
        return DeviceEstimate(total, layers=layers, launch_us=LAUNCH_US, input_us=enters, output_us=leaves)

    def release(self) -> None:
        self.released += 1


def releases(delegate: NamedDelegate) -> list[int]:
    """How often each of its graph kernels was released."""
    return [kernel.released for kernel in delegate.made if isinstance(kernel, EstimatedKernel)]


class Estimating(NamedDelegate):
    """Claims by name (None: all); estimates the times it is given by name, 3 us for a transfer inside a run."""

    name = "estimating"
    is_simulated = True

    def __init__(self, us: Mapping[str, float], names: Sequence[str] | None = None) -> None:
        super().__init__(names)
        self.us = us
        self.release = "1"

    def version(self) -> str:
        return self.release

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        return 3.0

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = EstimatedKernel(f"Group{len(self.made)}", model.boundary_of(run), run, self.us)
        self.made.append(kernel)
        return kernel


class ClockedKernel(GroupKernel):
    """Lets a clock run: the launch, a nanosecond for each byte that crosses, and what each node takes."""

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel], delegate: Clocked) -> None:
        super().__init__(name, boundary, kernels)
        self.nbytes = boundary.nbytes
        self.delegate = delegate

    def execute(self) -> None:
        super().execute()
        us = LAUNCH_US + sum(self.delegate.us[k.name] for k in self.kernels)
        self.delegate.clock.ns += round(us * 1000) + self.nbytes


class Clocked(NamedDelegate):
    """Claims everything; its device takes what ``ClockedKernel`` says on the clock it is given."""

    name = "clocked"

    def __init__(self, us: Mapping[str, float], clock: Clock, names: Sequence[str] | None = None) -> None:
        super().__init__(names)
        self.us, self.clock = us, clock

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = ClockedKernel(f"Group{len(self.made)}", model.boundary_of(run), run, self)
        self.made.append(kernel)
        return kernel
