"""NPUDelegate: claims what the device can do, and turns each run into one program."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from ..delegate import Boundary, Delegate, DelegateModel, Kernel, RejectCode, Rejected, SupportResult
from ..ir.data_type import DataType
from .compiler.compile import compile_run
from .device import Device
from .device_model import DeviceModel
from .npu_graph import NPUGraph
from .operands import op_type_of
from .ops import ALL_LOWERINGS
from .parts import Part, connected_parts
from .profiles import load_profile
from .support import ALL_CHECKS
from .target import Target

CHECKS = {entry.op_type: entry.check for entry in ALL_CHECKS}
LOWERINGS = {entry.op_type: entry for entry in ALL_LOWERINGS}


class NPUDelegate(Delegate):
    """The built-in NPU, simulated. One object may serve several models; programs share nothing but the device.

    Args:
        profile: the name of a packaged profile: which operators the device has, and their limits.
        device: the device; a new one when None. A test may give one that is not there.

    Raises:
        InputError: (a ValueError) no such profile; the message lists those that exist.
    """

    name = "npu"
    storage_dtype = DataType.FLOAT16

    def __init__(self, profile: str = "generic", *, device: Device | None = None) -> None:
        self.profile = load_profile(profile)
        self.device = Device() if device is None else device
        self._graph_counts: WeakKeyDictionary[DelegateModel, int] = WeakKeyDictionary()

    def init(self) -> None:
        """Opens the device.

        Raises:
            DelegateUnavailable: it is not there.
        """
        self.device.open()

    def supports(self, kernel: Kernel) -> SupportResult:
        """The claim for a kernel, or the first reason against it. Changes nothing; a claimed kernel compiles."""
        op_type = op_type_of(kernel)
        if op_type not in CHECKS or kernel.primitive is None:
            return Rejected(RejectCode.OPERATOR, f"the NPU has no {op_type}")
        if self.profile.operators is not None and op_type not in self.profile.operators:
            return Rejected(RejectCode.OPERATOR, f"NPU profile '{self.profile.name}' has no {op_type}")
        return CHECKS[op_type](kernel, self.profile)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """Compiles a run into an ``NPUGraph``, named NpuGraph0, NpuGraph1, ... within the model.

        Parts of the run that no tensor connects are compiled, loaded and run each by itself.

        Raises:
            DelegateBuildError: the run cannot be compiled.
        """
        boundary = model.boundary_of(run)
        target = Target(self.profile)
        models = [self._device_model(part, boundary, target) for part in connected_parts(run, boundary)]
        return NPUGraph(self._next_name(model), boundary.inputs, boundary.outputs, models)

    def _device_model(self, part: Part, boundary: Boundary, target: Target) -> DeviceModel:
        return DeviceModel(
            compile_run(part.kernels, part.boundary, LOWERINGS, target),
            boundary,
            self.device,
            layers=[kernel.name for kernel in part.kernels],
            defer_load=target.defer_weights_load,
        )

    def _next_name(self, model: DelegateModel) -> str:
        number = self._graph_counts.get(model, 0)
        taken = {kernel.name for kernel in model}
        while f"NpuGraph{number}" in taken:
            number += 1
        self._graph_counts[model] = number + 1
        return f"NpuGraph{number}"
