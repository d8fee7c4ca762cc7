"""Sessions of ONNX Runtime for models whose constants are shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from ...data_class import dataclass
from ...errors import DelegateBuildError, DelegateUnavailable
from ...tensor import Array

PACKAGE = "onnxruntime"
EXTRA = "pip install 'lite-delegate[onnxruntime]'"
WHOLE = {"session.force_spinning_stop": "1"}
"""Configuration of sessions that have a model for themselves."""
MIXED = {"session.intra_op.allow_spinning": "0"}
"""Configuration of those that share it with other kernels."""
ERRORS_ONLY = 3
"""ONNX Runtime's log level: 0 says all, 4 only what ends the process."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How sessions are made.

    Attributes:
        provider: the execution provider; what it does not take runs on ONNX Runtime's CPU.
        provider_options: of the provider, by ONNX Runtime's names.
        config: session configuration entries, by ONNX Runtime's names.
        threads: of one run; 0 leaves it to ONNX Runtime.
    """

    provider: str = "CPUExecutionProvider"
    provider_options: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    threads: int = 0

    def for_run(self, *, is_whole: bool, threads: int) -> SessionSettings:
        """The settings for one run of a model.

        Threads that have nothing to do spin for work by default, and take it from whoever computes meanwhile. They
        stop at the end of a session's run; where other kernels run in between, they do not begin.

        Args:
            is_whole: whether nothing of the model runs elsewhere.
            threads: that the user allows; 0 for no word.
        """
        policy = WHOLE if is_whole else MIXED
        return replace(self, config={**policy, **self.config}, threads=self.threads or threads)


def runtime() -> Any:
    """The package ``onnxruntime``.

    Raises:
        DelegateUnavailable: it is not installed, or cannot be imported.
    """
    try:
        import onnxruntime
    except Exception as e:  # a package with a broken library raises anything
        raise DelegateUnavailable(f"The package 'onnxruntime' cannot be imported ({e}): {EXTRA}.") from e
    return onnxruntime


def check_provider(provider: str) -> None:
    """Checks that ONNX Runtime has a provider here.

    Raises:
        DelegateUnavailable: it does not, or the package is not there.
    """
    there = runtime().get_available_providers()
    if provider not in there:
        raise DelegateUnavailable(f"ONNX Runtime has no '{provider}' here; it has {', '.join(there)}.")


def session_of(model: bytes, outside: Mapping[str, Array], settings: SessionSettings) -> Any:
    """A session for a model.

    Args:
        model: its bytes.
        outside: its constants that are not in them, by name; shared for as long as the session lives.
        settings: threads, provider and the like.

    Raises:
        DelegateBuildError: ONNX Runtime cannot run the model; the message is its own.
    """
    ort = runtime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = settings.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    for key, value in settings.config.items():
        options.add_session_config_entry(key, value)
    values = [ort.OrtValue.ortvalue_from_numpy(array) for array in outside.values()]
    if values:
        options.add_external_initializers(list(outside), values)
    try:
        providers = [(settings.provider, dict(settings.provider_options))]
        return ort.InferenceSession(model, options, providers=providers)
    except Exception as e:  # ONNX Runtime's exceptions have no common type
        raise DelegateBuildError(f"ONNX Runtime cannot make a session: {e}") from e
