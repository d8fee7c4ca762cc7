"""OpenVINODelegate: claims what the lowering can write as OpenVINO's nodes, and runs it on its devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType

from ...delegate import Delegate, DelegateModel, Kernel, SupportResult
from ...errors import DelegateUnavailable
from ..lowering import claim, lower_run
from .compiled import CompileSettings, Prepared
from .emitter import OpenVINOEmitter
from .graph import OpenVINOGraph
from .package import EXTRA, check_device, devices, is_installed, package

NO_CONFIG: Mapping[str, object] = MappingProxyType({})
DEFAULTS: Mapping[str, object] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
"""One request as soon as can be, in the precision of the model: OpenVINO's own default may be a lower one."""


class OpenVINODelegate(Delegate):
    """OpenVINO, on one of its devices.

    Args:
        device: ``CPU``, ``GPU``, ``GPU.1``, ``NPU``, ... as OpenVINO lists them; ``HETERO:GPU,CPU`` and the like too.
        threads: of one run on the CPU; 0 leaves it to OpenVINO.
        config: properties of the device, by OpenVINO's names; those not named are ``DEFAULTS``'.
    """

    name = "openvino"

    def __init__(self, device: str = "CPU", *, threads: int = 0, config: Mapping[str, object] = NO_CONFIG) -> None:
        given = {"INFERENCE_NUM_THREADS": threads} if threads else {}
        self.settings = CompileSettings(device, {**DEFAULTS, **given, **config})
        self._claims = OpenVINOEmitter()
        self._numbers = count()

    def probe(self) -> str | None:
        """The reason why the package is not there; None where it is: only ``init``, which loads it, knows devices."""
        return None if is_installed() else f"The package 'openvino' is not installed: {EXTRA}."

    def init(self) -> None:
        """Checks that the package and its device are there.

        Raises:
            DelegateUnavailable: one of them is not; the message has the extra to install, or the devices there are.
        """
        check_device(self.settings.device)

    def device_ids(self) -> Sequence[str]:
        """The devices that OpenVINO lists; none where it is not installed."""
        try:
            return devices()
        except DelegateUnavailable:
            return ()

    def supports(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one OpenVINO model; it is compiled when it is prepared.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        boundary = model.boundary_of(run)
        name = f"OpenVINO{next(self._numbers)}"
        emitter = OpenVINOEmitter()
        terms = lower_run(run, boundary, emitter)
        specs = [(term.dtype, term.shape) for term in terms]
        prepared = Prepared(emitter.finish(name, terms), emitter.kept, specs, self.settings)
        return OpenVINOGraph(name, boundary.inputs, boundary.outputs, prepared)

    def version(self) -> str:
        """OpenVINO's release, and all settings."""
        return f"openvino {package().__version__}, {self.settings}"
