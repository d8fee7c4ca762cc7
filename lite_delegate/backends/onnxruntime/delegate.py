"""OnnxRuntimeDelegate: claims what the lowering can write as ONNX, and runs it in sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType

from ...delegate import Delegate, DelegateModel, Kernel, SupportResult
from ...errors import DelegateUnavailable
from ..lowering import claim, lower_run
from .emitter import OnnxEmitter
from .graph import OnnxRuntimeGraph, Prepared
from .session import SessionSettings, check_provider, runtime

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


class OnnxRuntimeDelegate(Delegate):
    """ONNX Runtime, with one of its execution providers.

    Args:
        provider: ``CPUExecutionProvider``, ``CUDAExecutionProvider``, ...; what it does not take of a run, ONNX
            Runtime runs on its own CPU provider.
        threads: of one run; 0 leaves it to ONNX Runtime.
        provider_options: of the provider, by ONNX Runtime's names.
        session_config: configuration entries of sessions, by ONNX Runtime's names.
    """

    name = "onnxruntime"

    def __init__(
        self,
        provider: str = "CPUExecutionProvider",
        *,
        threads: int = 0,
        provider_options: Mapping[str, str] = NO_OPTIONS,
        session_config: Mapping[str, str] = NO_OPTIONS,
    ) -> None:
        self.settings = SessionSettings(provider, dict(provider_options), dict(session_config), threads)
        self._claims = OnnxEmitter("claims")
        self._numbers = count()

    def probe(self) -> str:
        """The reason why the package or the provider is not there, "" where both are."""
        try:
            check_provider(self.settings.provider)
        except DelegateUnavailable as e:
            return str(e)
        return ""

    def init(self) -> None:
        """Checks that the package and its provider are there.

        Raises:
            DelegateUnavailable: one of them is not; the message has the extra to install, or the providers there are.
        """
        check_provider(self.settings.provider)

    def supports(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The run as one ONNX model; its session is made when it is prepared.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        boundary = model.boundary_of(run)
        name = f"OnnxRuntime{next(self._numbers)}"
        emitter = OnnxEmitter(name)
        written = emitter.finish(lower_run(run, boundary, emitter))
        return OnnxRuntimeGraph(
            name, boundary.inputs, boundary.outputs, Prepared(written, emitter.outside, self.settings)
        )

    def version(self) -> str:
        """ONNX Runtime's release, and all settings."""
        return f"onnxruntime {runtime().__version__}, {self.settings}"
