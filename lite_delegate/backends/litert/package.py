"""The package of LiteRT, and interpreters of it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ...basics.data_class import dataclass
from ...errors import DelegateBuildError, DelegateUnavailable

PACKAGE = "ai_edge_litert"
DISTRIBUTION = "ai-edge-litert"
EXTRA = "pip install 'lite-delegate[litert]'"
XNNPACK, BUILTIN, REFERENCE = KERNELS = ("XNNPACK", "BUILTIN", "REFERENCE")
"""LiteRT's kernels: optimized by XNNPACK, LiteRT's own, and the reference kernels that define the results."""
CREATE, DESTROY = "tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate"
"""The functions of an external delegate's library."""


@dataclass(frozen=True, slots=True)
class InterpreterSettings:
    """The settings that interpreters are made with.

    Attributes:
        device: one of ``KERNELS``, or the path of an external delegate's library.
        options: the options of the external delegate, by its own names.
        threads: the number of threads of one run; 0 leaves it to LiteRT.
    """

    device: str = XNNPACK
    options: Mapping[str, str] = field(default_factory=dict)
    threads: int = 0

    @property
    def library(self) -> str:
        """The library of the external delegate, "" for LiteRT's own kernels."""
        return "" if self.device in KERNELS else self.device


def runtime() -> Any:
    """The module ``ai_edge_litert.interpreter``.

    Raises:
        DelegateUnavailable: the package is not installed, or cannot be imported.
    """
    try:
        from ai_edge_litert import interpreter
    except Exception as e:  # a package with a broken library raises anything
        raise DelegateUnavailable(f"The package '{DISTRIBUTION}' cannot be imported ({e}): {EXTRA}.") from e
    return interpreter


def release() -> str:
    """LiteRT's release, "absent" where the package is not there."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "absent"


def check_device(settings: InterpreterSettings) -> None:
    """Checks that the package is there, and that the external delegate's library can be loaded.

    Raises:
        DelegateUnavailable: one of them is not.
    """
    runtime()
    if settings.library:
        _loaded(settings)


def interpreter_of(content: bytes, settings: InterpreterSettings) -> Any:
    """An interpreter for a model, with its tensors allocated. The interpreter keeps ``content``.

    Args:
        content: the bytes of the ``.tflite`` file.
        settings: kernels or delegate, and threads.

    Raises:
        DelegateBuildError: LiteRT cannot run the model; the message is its own.
    """
    litert = runtime()
    resolvers = litert.OpResolverType
    kinds = {XNNPACK: resolvers.AUTO, REFERENCE: resolvers.BUILTIN_REF}
    try:
        made = litert.Interpreter(
            model_content=content,
            num_threads=settings.threads or None,
            experimental_op_resolver_type=kinds.get(settings.device, resolvers.BUILTIN_WITHOUT_DEFAULT_DELEGATES),
            experimental_delegates=[_loaded(settings)] if settings.library else None,
        )
        made.allocate_tensors()
    except Exception as e:  # LiteRT raises ValueError and RuntimeError, delegates what they like
        raise DelegateBuildError(f"LiteRT cannot run the model: {str(e).strip()}") from e
    return made


def _loaded(settings: InterpreterSettings) -> Any:
    """The external delegate with its options.

    Raises:
        DelegateUnavailable: there is no such library, it is none of an external delegate, or it refuses.
    """
    library = settings.library
    if not Path(library).is_file():
        raise DelegateUnavailable(f"The external delegate '{library}' of TensorFlow Lite is no file.")
    path = str(Path(library).absolute())
    try:
        _check_functions(path)
        return runtime().load_delegate(path, dict(settings.options))
    except Exception as e:  # ctypes raises OSError and AttributeError, the delegate's own code ValueError
        said = " ".join(str(e).split())
        raise DelegateUnavailable(f"LiteRT cannot load the external delegate '{library}': {said}") from e


def _check_functions(path: str) -> None:
    """Loads a library and looks for the functions of an external delegate, whose absence LiteRT finds out too late."""
    library = ctypes.PyDLL(path)
    for function in CREATE, DESTROY:
        getattr(library, function)
