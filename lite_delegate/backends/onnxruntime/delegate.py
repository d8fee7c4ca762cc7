"""OnnxRuntimeDelegate: claims the kernels that the lowering can write as ONNX, and runs them in sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from ...delegate import DelegateModel, Kernel, Supported, SupportResult
from ...properties import Registry
from ...tensors.tensor import Tensor
from ..configurable import NO_OPTIONS, ConfigurableDelegate
from ..lowering.steps import STEPS
from ..pairs import pairs_of
from ..presence import is_installed, is_loaded
from .graph import OnnxRuntimeGraph
from .plugins.packages import NEEDED, installed_plugins, plugin_release
from .processor import processor
from .sessions import properties
from .sessions.session import (
    EXTRA,
    PACKAGE,
    THREAD_AFFINITIES,
    SessionSettings,
    check_provider,
    plugin_devices,
    providers,
    release,
)

if TYPE_CHECKING:
    from .model_builder import OnnxModelBuilder
    from .trials import ProviderTrials
    from .trials.trial_process import ReadReasons


class OnnxRuntimeDelegate(ConfigurableDelegate):
    """ONNX Runtime, with one of its execution providers.

    Args:
        provider: ``CPUExecutionProvider``, ``CUDAExecutionProvider``, ...; nodes that ONNX Runtime would run on its own
            CPU provider beside another provider are not delegated.
        threads: the number of threads of one run; 0 leaves it to ONNX Runtime.
        provider_options: options of the provider, by ONNX Runtime's names.
        session_config: configuration entries of sessions, by ONNX Runtime's names.
        options: properties of this delegate by name, see ``properties``.
    """

    name = "onnxruntime"
    special_values = False
    quantized_steps = STEPS
    takes_control_flow = True
    graph_kernel: ClassVar[type[OnnxRuntimeGraph]] = OnnxRuntimeGraph
    """The class of the graph kernels."""

    def __init__(
        self,
        provider: str = properties.CPU_PROVIDER,
        *,
        threads: int = 0,
        provider_options: Mapping[str, object] = NO_OPTIONS,
        session_config: Mapping[str, object] = NO_OPTIONS,
        options: Mapping[str, object] = NO_OPTIONS,
    ) -> None:
        named: dict[str, object] = {
            properties.THREADS: threads,
            properties.PROVIDER_OPTIONS: provider_options and pairs_of(provider_options),
            properties.SESSION_CONFIG: session_config and pairs_of(session_config),
        }
        given = {name: value for name, value in named.items() if value}
        super().__init__(self.registry(), provider, {**given, **options})
        self._known_trials: dict[tuple[str, int, str], ProviderTrials] = {}
        self._trials_lock = Lock()
        self._used: set[str] = set()

    def registry(self) -> Registry:
        """The properties of the device."""
        return properties.registry()

    @property
    def provider(self) -> str:
        """The execution provider."""
        return self.device

    @property
    def provider_options(self) -> dict[str, str]:
        """The options of the provider, by its own names."""
        return {**NEEDED.get(self.provider, {}), **self.pairs(properties.PROVIDER_OPTIONS)}

    @cached_property
    def _builder(self) -> OnnxModelBuilder:
        from .model_builder import OnnxModelBuilder  # what was compiled before does without

        return OnnxModelBuilder()

    @property
    def settings(self) -> SessionSettings:
        """The settings that sessions are made with."""
        return SessionSettings(
            self.provider,
            self.provider_options,
            self.pairs(properties.SESSION_CONFIG),
            self.number(properties.THREADS),
            self.values.value(properties.COUNT) == "YES",
            plugin=str(self.values.value(properties.PLUGIN)),
            hardware=str(self.values.value(properties.HARDWARE)),
        )

    @property
    def read_reasons(self) -> ReadReasons | None:
        """The reader of the provider's reasons in ONNX Runtime's verbose log; None: ONNX Runtime logs none."""
        return None

    def device_ids(self) -> Sequence[str]:
        """The CPU provider, and the providers of installed plugins; empty where there is no plugin."""
        found = [provider for plugin in installed_plugins() for provider in plugin.providers]
        return (properties.CPU_PROVIDER, *found) if found else ()

    def probe(self) -> str | None:
        """The reason why the package is not there, "" where it is and the provider is the CPU's.

        None for other providers: only ONNX Runtime, which ``init`` loads, knows them.
        """
        if not is_installed(PACKAGE):
            return f"The package 'onnxruntime' is not installed: {EXTRA}."
        return "" if self.provider == properties.CPU_PROVIDER and not is_loaded(PACKAGE) else None

    def init(self) -> None:
        """Checks that the package and its provider are there, and that ONNX Runtime makes sessions with the provider.

        A session takes a compiler's start, so it is made once for each set of settings.

        Raises:
            DelegateUnavailable: the package or the provider is missing; the message has the extra to install, or the
                available providers.
        """
        check_provider(self.settings)
        if self.provider != properties.CPU_PROVIDER and (settings := repr(self.settings)) not in self._used:
            from .sessions.assigned import check_is_used

            check_is_used(self.settings)
            self._used.add(settings)

    def fact(self, name: str) -> object:
        """The available execution providers."""
        return tuple(providers())

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Tries kernels that the lowering takes on another provider than the CPU's, see ``ProviderTrials``.

        Raises:
            DelegateUnavailable: the provider cannot be tried.
        """
        trials = self._trials()
        if trials is not None:
            trials.survey([kernel for kernel in kernels if isinstance(self._builder.claim(kernel), Supported)])

    def supports(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer; where that is yes, the answer of another provider than the CPU's."""
        answer = self._builder.claim(kernel)
        trials = self._trials() if isinstance(answer, Supported) else None
        return answer if trials is None else trials.answer(kernel)

    def _trials(self) -> ProviderTrials | None:
        """The trials of kernels with the present settings; None for a built-in provider.

        The sessions of built-in providers are asked alone, once they are made.
        """
        devices = plugin_devices(self.provider)
        if not devices:
            return None
        from .trials import ProviderTrials

        settings = self.settings
        plugin = settings.plugin or str(devices[0].ep_metadata.get("library_path", ""))
        seconds, folder = self.number(properties.TRIAL_SECONDS), str(self.values.value(properties.TRIAL_FOLDER))
        key = (repr(settings), seconds, folder)
        with self._trials_lock:
            if key not in self._known_trials:
                tried = replace(settings, plugin=plugin)
                forms = self._builder.trial_forms(settings)
                self._known_trials[key] = ProviderTrials(
                    tried, forms, seconds, folder, self.read_reasons, self.toolchain()
                )
            return self._known_trials[key]

    def toolchain(self) -> str:
        """The version of the provider's own toolchain: the release of its plugin's package; "" for the CPU provider.

        A search through the installed packages takes milliseconds, which each model out of a cache would take, too.
        """
        wanted = str(self.values.value(properties.PLUGIN))
        if self.provider == properties.CPU_PROVIDER and not wanted:
            return ""
        return plugin_release(self.provider, wanted)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one ONNX model; its session is made when it is prepared.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        boundary = model.boundary_of(run)
        name = self.next_name(self.graph_kernel.kind)
        settings = self.settings.for_run(is_whole=len(run) == len(model), threads=model.threads)
        prepared = self._builder.prepared(name, run, boundary, model, settings)
        return self.graph_kernel(name, boundary.inputs, boundary.outputs, prepared)

    def version(self) -> str:
        """ONNX Runtime's release, and all settings."""
        return f"onnxruntime {release()}, {self.settings}"

    def follows_threads(self) -> bool:
        """True on the CPU, unless its own properties set the number of threads, or their cores."""
        settings = self.settings
        is_told = settings.threads or THREAD_AFFINITIES in settings.config
        return settings.provider == properties.CPU_PROVIDER and not is_told

    def cache_key(self) -> Mapping[str, str]:
        """ONNX Runtime's release, the provider, the processor for the CPU provider, and all settings of sessions."""
        settings = self.settings
        here = {"processor": processor()} if self.provider == properties.CPU_PROVIDER else {}
        options = {f"{self.provider}.{name}": value for name, value in settings.provider_options.items()}
        toolchain = self.toolchain()
        plugin = {"plugin": toolchain, "hardware": settings.hardware} if toolchain else {}
        told = {"provider": self.provider, properties.THREADS: str(settings.threads), **options, **settings.config}
        return {"onnxruntime": release(), **here, **plugin, **told}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The optimized model, see ``blob.exported``; None for graph kernels of other delegates."""
        from .blob import exported

        return exported(kernel.shared) if isinstance(kernel, OnnxRuntimeGraph) else None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> OnnxRuntimeGraph:
        """The graph kernel of an optimized model; its session is made when it is prepared.

        Raises:
            ModelFormatError: it is none.
        """
        from .blob import imported

        return OnnxRuntimeGraph(self.next_name("OnnxRuntime"), inputs, outputs, imported(data, self.settings))
