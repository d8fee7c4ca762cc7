"""OpenVINODelegate: claims the kernels that the lowering can write as OpenVINO's nodes, and runs them on its
devices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ...delegate import DelegateModel, Kernel, SupportResult, current_wishes
from ...errors import DelegateUnavailable
from ...ir import DataType
from ...properties import Layer
from ...tensors.tensor import Tensor
from ..configurable import NO_OPTIONS, ConfigurableDelegate
from ..lowering.steps import STEPS
from ..pairs import pairs_of
from ..presence import is_installed, is_loaded
from .graph import OpenVINOGraph
from .models import properties
from .models.compiled import REQUESTS, CompileSettings
from .models.package import EXTRA, PACKAGE, check_config, check_device, devices, release
from .models.precision import rejected_as_coarse, wished

if TYPE_CHECKING:
    from .model_builder import OpenVINOModelBuilder


class OpenVINODelegate(ConfigurableDelegate):
    """OpenVINO, on one of its devices.

    Args:
        device: ``CPU``, ``GPU``, ``GPU.1``, ``NPU``, ... as OpenVINO lists them; ``HETERO:GPU,CPU`` and the like too.
        threads: the number of threads of one run on the CPU; 0 leaves it to OpenVINO.
        config: properties of OpenVINO, by its names, which are handed on unchanged.
        options: properties of this delegate by name, see ``properties``.
    """

    name = "openvino"
    special_values = False
    quantized_steps = STEPS
    takes_control_flow = True

    def __init__(
        self,
        device: str = "CPU",
        *,
        threads: int = 0,
        config: Mapping[str, object] = NO_OPTIONS,
        options: Mapping[str, object] = NO_OPTIONS,
    ) -> None:
        named: dict[str, object] = {}
        if threads:
            named[properties.THREADS] = threads
        if config:
            named[properties.CONFIG] = pairs_of(config)
        super().__init__(properties.registry(), device, {**named, **options})
        self.storage_dtype = self._stored()

    @cached_property
    def _builder(self) -> OpenVINOModelBuilder:
        from .model_builder import OpenVINOModelBuilder  # what was compiled before does without

        return OpenVINOModelBuilder()

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties, all of them or none, for later builds.

        Raises:
            PropertyError: a property or value is unknown.
        """
        super().set_property(properties)
        self.storage_dtype = self._stored()

    def _stored(self) -> DataType | None:
        """The requested coarser type, None for none; a device without kernels for it computes more exactly.

        A context's wish counts for its models: ``OpenVINOGraph.storage_dtype``.
        """
        return self.settings.storage_dtype

    @property
    def settings(self) -> CompileSettings:
        """The settings that models are compiled with, by OpenVINO's names; this delegate's own settings are left out.

        Without settings of threads and precision, each model has its context's, see ``CompileSettings.completed``.
        """
        threads, streams = self.number(properties.THREADS), self.values.value(properties.STREAMS)
        told = {properties.HINT: str(self.values.value(properties.HINT))}
        if self.values.explain(properties.PRECISION).winner.layer is not Layer.DEFAULT:
            told[properties.PRECISION] = str(self.values.value(properties.PRECISION))
        if threads:
            told[properties.THREADS] = str(threads)
        if streams != properties.AUTO:
            told[properties.STREAMS] = str(streams)
        if self.values.value(properties.COUNT) == "YES":
            told[properties.COUNT] = "YES"
        takes_all_integers = self.values.value(properties.INT8) == properties.ALL
        return CompileSettings(self.device, {**told, **self.pairs(properties.CONFIG)}, takes_all_integers)

    def probe(self) -> str | None:
        """The reason why the package is not there, "" where it is and the device is the CPU.

        None for other devices: only OpenVINO, which ``init`` loads, knows them.
        """
        if not is_installed(PACKAGE):
            return f"The package 'openvino' is not installed: {EXTRA}."
        return "" if self.device == "CPU" and not is_loaded(PACKAGE) else None

    def init(self) -> None:
        """Checks that the package and its device are there.

        Raises:
            DelegateUnavailable: the package or the device is missing; the message has the extra to install, or the
                available devices.
            PropertyError: the device has no property that ``OPENVINO_CONFIG`` names.
        """
        check_device(self.device)
        check_config(self.device, self.pairs(properties.CONFIG))

    def device_ids(self) -> Sequence[str]:
        """The devices that OpenVINO lists, once it is loaded: lists of devices do not load it."""
        if not is_loaded(PACKAGE):
            return ()
        try:
            return devices()
        except DelegateUnavailable:
            return ()

    def fact(self, name: str) -> object:
        """A fact about OpenVINO and its device, as OpenVINO tells it."""
        from .facts import fact

        return fact(name, self.settings)

    def optimal_requests(self) -> int:
        """The number of requests that OpenVINO recommends for a small model, compiled for the question; graph kernels
        know it for other models.
        """
        return int(str(self.fact(REQUESTS)))

    def supports(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer. Kernels that need more digits or range than the precision has take float32."""
        return rejected_as_coarse(kernel, self._precision_now) or self._builder.claim(kernel)

    def _precision_now(self) -> str:
        return self._told_now.config[properties.PRECISION]

    @property
    def _told_now(self) -> CompileSettings:
        """The settings for the model that is planned."""
        return self.settings.completed(current_wishes().threads, wished(self.device))

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one OpenVINO model; it is compiled when it is prepared.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        boundary = model.boundary_of(run)
        name = self.next_name("OpenVINO")
        prepared = self._builder.prepared(name, run, boundary, model, self._told_now)
        return OpenVINOGraph(name, boundary.inputs, boundary.outputs, prepared)

    def version(self) -> str:
        """OpenVINO's release, and all settings."""
        return f"openvino {release()}, {self.settings}"

    def follows_threads(self) -> bool:
        """True on the CPU, unless its own properties set the number of threads or streams, or their cores."""
        told = self.settings.config
        is_one_at_a_time = told[properties.HINT] == properties.LATENCY
        return self.device == "CPU" and is_one_at_a_time and properties.OF_THREADS.isdisjoint(told)

    def cache_key(self) -> Mapping[str, str] | None:
        """OpenVINO's release, the device with its capabilities, and the settings; None where the device is not
        there.
        """
        facts = "FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES"
        try:
            known = {name: str(self.fact(name)) for name in facts}
        except DelegateUnavailable:
            return None
        not_told = {properties.INT8: str(self.values.value(properties.INT8))}
        return {"openvino": release(), "device": self.device, **known, **self.settings.config, **not_told}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """OpenVINO's blob, see ``blob.exported``; None for graph kernels of other delegates."""
        from .blob import exported

        return exported(kernel.shared) if isinstance(kernel, OpenVINOGraph) else None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> OpenVINOGraph:
        """The graph kernel of a blob; it is loaded when it is prepared.

        Raises:
            ModelFormatError: it is none.
        """
        from .blob import imported

        return OpenVINOGraph(self.next_name("OpenVINO"), inputs, outputs, imported(data, outputs, self.settings))
