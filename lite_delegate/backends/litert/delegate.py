"""LiteRTDelegate: writes runs as ``.tflite`` files, and runs them with LiteRT's interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...delegate import DelegateModel, Kernel, SupportResult
from ...errors import ModelFormatError
from ...tensors.tensor import Tensor
from ..configurable import NO_OPTIONS, ConfigurableDelegate
from ..packed import packed, unpacked
from ..pairs import pairs_of
from ..presence import is_installed
from . import properties
from .package import BUILTIN, EXTRA, KERNELS, PACKAGE, REFERENCE, XNNPACK, InterpreterSettings, check_device, release
from .steps import LITERT_STEPS

KIND = "LiteRT 1"


class LiteRTDelegate(ConfigurableDelegate):
    """LiteRT, with its own kernels or an external delegate of TensorFlow Lite.

    Args:
        device: ``XNNPACK``, ``BUILTIN`` or ``REFERENCE``: LiteRT's kernels; or the path of the library of an external
            delegate, which has the function ``tflite_plugin_create_delegate``.
        threads: the number of threads of one run; 0 leaves it to LiteRT.
        delegate_options: options of the external delegate, by its own names.
        options: properties of this delegate by name, see ``properties``.
    """

    name = "litert"
    special_values = False
    quantized_steps = LITERT_STEPS

    def __init__(
        self,
        device: str = XNNPACK,
        *,
        threads: int = 0,
        delegate_options: Mapping[str, object] = NO_OPTIONS,
        options: Mapping[str, object] = NO_OPTIONS,
    ) -> None:
        named: dict[str, object] = {
            properties.THREADS: threads,
            properties.OPTIONS: delegate_options and pairs_of(delegate_options),
        }
        given = {name: value for name, value in named.items() if value}
        super().__init__(properties.registry(), device, {**given, **options})

    @property
    def infinite_results(self) -> bool:  # type: ignore[override]
        """False for LiteRT's own kernels, whose arithmetic ends at the largest numbers."""
        return self.settings.device not in (BUILTIN, REFERENCE)

    @property
    def settings(self) -> InterpreterSettings:
        """The settings that interpreters are made with."""
        kernels = self.device.upper()
        device = kernels if kernels in KERNELS else self.device
        return InterpreterSettings(device, self.pairs(properties.OPTIONS), self.number(properties.THREADS))

    def probe(self) -> str | None:
        """The reason why the package is not there, "" where it is; None with an external delegate: ``init`` tells."""
        if not is_installed(PACKAGE):
            return f"The package 'ai-edge-litert' is not installed: {EXTRA}."
        return None if self.settings.library else ""

    def init(self) -> None:
        """Checks that the package is there, and that the external delegate can be loaded.

        Raises:
            DelegateUnavailable: one of them is not.
        """
        check_device(self.settings)

    def supports(self, kernel: Kernel) -> SupportResult:
        """The writer's answer: whether TensorFlow Lite has operators for the kernel; no where LiteRT's are others."""
        from .refusals import answer_of

        return answer_of(kernel, self.settings.device)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one file; its interpreter is made when it is prepared.

        Raises:
            DelegateBuildError: a kernel cannot be written.
        """
        from ..tflite_file.scope import Kernels
        from ..tflite_file.tflite_run import tflite_run
        from .graph import LiteRTGraph, SharedFile

        targets = {XNNPACK: Kernels.XNNPACK, BUILTIN: Kernels.OWN, REFERENCE: Kernels.OWN}
        boundary = model.boundary_of(run)
        settings = replace(self.settings, threads=self.settings.threads or model.threads)
        written = tflite_run(run, boundary.inputs, boundary.outputs, targets.get(settings.device, Kernels.ANY))
        shared = SharedFile(written, settings, self.device)
        return LiteRTGraph(self.next_name("LiteRT"), boundary.inputs, boundary.outputs, shared)

    def version(self) -> str:
        """LiteRT's release, and all settings."""
        return f"litert {release()}, {self.settings}"

    def follows_threads(self) -> bool:
        """True for LiteRT's own kernels, unless its own property sets the number of threads."""
        return not self.settings.threads and not self.settings.library

    def cache_key(self) -> Mapping[str, str]:
        """LiteRT's release, the kernels or the library with the time of its file, and all settings."""
        settings = self.settings
        library = Path(settings.library)
        changed = {"library_time": str(library.stat().st_mtime_ns)} if settings.library and library.is_file() else {}
        options = {f"delegate.{name}": value for name, value in settings.options.items()}
        told = {"device": settings.device, properties.THREADS: str(settings.threads)}
        return {"litert": release(), **told, **options, **changed}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The ``.tflite`` file of the run; None for graph kernels of other delegates."""
        from .graph import LiteRTGraph

        if not isinstance(kernel, LiteRTGraph):
            return None
        run = kernel.shared.run
        return packed(KIND, {"makers": dict(run.makers)}, (run.content,))

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """The graph kernel of a file; its interpreter is made when it is prepared.

        Raises:
            ModelFormatError: it is none.
        """
        from ..tflite_file.tflite_run import TfliteRunFile
        from .graph import LiteRTGraph, SharedFile

        description, parts = unpacked(KIND, data)
        try:
            (content,) = parts
            run = TfliteRunFile(bytes(content), dict(description["makers"]))
        except (KeyError, TypeError, ValueError) as e:
            raise ModelFormatError(f"This is no graph kernel of {KIND}: {e}.") from e
        shared = SharedFile(run, self.settings, self.device)
        return LiteRTGraph(self.next_name("LiteRT"), inputs, outputs, shared)
