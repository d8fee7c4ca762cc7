"""EthosUDelegate: Arm's Ethos-U, compiled for by Vela."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...delegate import DelegateModel, DeviceFile, Kernel, SupportResult
from ...errors import DelegateUnavailable
from ...tensors.tensor import Tensor
from ..configurable import NO_OPTIONS, ConfigurableDelegate
from ..litert.package import DISTRIBUTION as LITERT
from ..litert.package import PACKAGE as LITERT_PACKAGE
from ..litert.package import release as litert_release
from ..litert.steps import LITERT_STEPS
from ..presence import is_installed
from . import properties
from .accelerators import DEFAULT, PREFIX
from .config_file import check, digest, located
from .vela import DISTRIBUTION, EXTRA, PACKAGE, VelaSettings, release

if TYPE_CHECKING:
    from .claims import VelaClaims


class EthosUDelegate(ConfigurableDelegate):
    """Arm's Ethos-U: Vela says what the NPU takes and what it costs, and compiles; the host computes the results.

    Results are those of TensorFlow Lite's reference kernels, with which Vela promises to agree bit for bit. Cycles and
    times are Vela's estimates.

    Args:
        accelerator: the accelerator, ``u55-128``; see ``accelerators``.
        options: properties of this delegate by name, see ``properties``.
    """

    name = "ethosu"
    special_values = False
    infinite_results = False
    quantized_steps = LITERT_STEPS
    is_simulated = True

    def __init__(self, accelerator: str = DEFAULT, *, options: Mapping[str, object] = NO_OPTIONS) -> None:
        super().__init__(properties.registry(), accelerator, options)
        self._claims: dict[VelaSettings, VelaClaims] = {}

    @property
    def settings(self) -> VelaSettings:
        """The options that Vela is called with."""
        text = {
            name: str(self.values.value(name)) for name in (properties.CONFIG, properties.SYSTEM, properties.MEMORY)
        }
        return VelaSettings(
            self.device,
            located(text[properties.CONFIG]),
            text[properties.SYSTEM],
            text[properties.MEMORY],
            str(self.values.value(properties.OPTIMISE)),
            self.number(properties.ARENA),
            self.number(properties.SECONDS),
        )

    def probe(self) -> str | None:
        """The reason why Vela or LiteRT is not installed, "" where both are."""
        for package, distribution in ((PACKAGE, DISTRIBUTION), (LITERT_PACKAGE, LITERT)):
            if not is_installed(package):
                return f"The package '{distribution}' is not installed: {EXTRA}."
        return ""

    def init(self) -> None:
        """Checks that Vela and LiteRT are installed, and that Vela's configuration file has the names of the options.

        Raises:
            DelegateUnavailable: a package or the file is not there, or the file has no such name.
        """
        if absence := self.probe():
            raise DelegateUnavailable(absence)
        check(self.settings)

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Lets Vela compile all kernels together."""
        self._answers().survey(kernels)

    def supports(self, kernel: Kernel) -> SupportResult:
        """The answer of the writer of ``.tflite`` files, and Vela's where that is yes."""
        return self._answers().answer(kernel)

    def _answers(self) -> VelaClaims:
        from .claims import VelaClaims

        settings = self.settings
        return self._claims.setdefault(settings, VelaClaims(settings))

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one file, which Vela compiles when the graph kernel is prepared, unless it compiled it for claims.

        Raises:
            DelegateBuildError: a kernel cannot be written.
        """
        from ..tflite_file.tflite_run import tflite_run
        from .graph import CompiledRun, EthosUGraph

        boundary = model.boundary_of(run)
        file = tflite_run(run, boundary.inputs, boundary.outputs)
        shared = CompiledRun(file, self.settings, self._answers().output(file))
        return EthosUGraph(self.next_name(EthosUGraph.kind), boundary.inputs, boundary.outputs, shared)

    def version(self) -> str:
        """The releases of Vela and LiteRT, and all settings."""
        return f"vela {release()}, litert {litert_release()}, {self.settings}"

    def cache_key(self) -> Mapping[str, str]:
        """The releases of Vela and LiteRT, the accelerator, all options of Vela, and its configuration file."""
        settings = self.settings
        told = {"device": PREFIX + self.device, "arguments": " ".join(settings.arguments)}
        return {"vela": release(), "litert": litert_release(), "config": digest(settings.config), **told}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The file and the compiled file of a run; None for graph kernels of other delegates."""
        from .blob import exported
        from .graph import EthosUGraph

        return exported(kernel.compiled_run) if isinstance(kernel, EthosUGraph) else None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """The graph kernel of a run that Vela compiled.

        Raises:
            ModelFormatError: it is none.
        """
        from .blob import imported
        from .graph import EthosUGraph

        return EthosUGraph(self.next_name(EthosUGraph.kind), inputs, outputs, imported(data, self.settings))

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        """The ``.tflite`` file that Vela compiled, for TensorFlow Lite Micro with Arm's driver."""
        from .graph import EthosUGraph

        if not isinstance(kernel, EthosUGraph) or kernel.compiled_run.output is None:
            return None
        runtime = f"TensorFlow Lite Micro with Arm's driver on {PREFIX}{self.device}"
        return DeviceFile(kernel.compiled_run.output.content, ".tflite", runtime)
