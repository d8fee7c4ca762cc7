"""Installed Python packages of plugins, found without importing ONNX Runtime.

Such a package has the functions ``get_library_path()`` and ``get_ep_name()`` (or ``get_ep_names()``), as ONNX Runtime's
documentation on plugin execution providers asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from ....basics.data_class import dataclass
from ....basics.failures import said
from ....errors import DelegateUnavailable

PREFIX = "onnxruntime_"
"""The names of all published plugin packages begin with it."""
MARKS = ("get_library_path", "get_ep_name")
"""Words in the source of a plugin package: other packages of the prefix are not imported."""
PUBLISHED = MappingProxyType(
    {
        "QNNExecutionProvider": "onnxruntime-qnn",
        "OpenVINOExecutionProvider": "onnxruntime-ep-openvino",
        "WebGpuExecutionProvider": "onnxruntime-ep-webgpu",
        "NvTensorRTRTXExecutionProvider": "onnxruntime-ep-nv-tensorrt-rtx",
    }
)
"""Distributions on the public index by provider, for messages."""

NEEDED = MappingProxyType({"QNNExecutionProvider": MappingProxyType({"backend_type": "htp"})})
"""Options without which a provider makes no session, with the values that suit this machine, by provider."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin's library.

    Attributes:
        library: the path of the library.
        origin: the package or the path that names it, for messages.
        providers: the execution providers that the library is known to have; () for a path of the user.
    """

    library: str
    origin: str
    providers: tuple[str, ...] = ()


def installed_plugins() -> Iterator[Plugin]:
    """The plugins of installed packages. A package that cannot be imported, or lacks its library, is left out."""
    for module in _modules():
        try:
            yield plugin_of_package(module)
        except DelegateUnavailable:
            continue


def plugin_named(text: str) -> Plugin:
    """The plugin of a path, or of an installed package.

    Args:
        text: the path of a library, or the name of a package such as ``onnxruntime_qnn``.

    Raises:
        DelegateUnavailable: there is no such file or package, or the package is no plugin's.
    """
    if Path(text).is_file():
        return Plugin(str(Path(text).resolve()), text)
    if text.isidentifier():
        return plugin_of_package(text)
    raise DelegateUnavailable(f"The plugin of ONNX Runtime '{text}' is no file.")


def plugin_of_package(module: str) -> Plugin:
    """The plugin of an installed package.

    Raises:
        DelegateUnavailable: the package cannot be imported, or is no plugin's, or has no library here.
    """
    try:
        package: Any = import_module(module)
        names = package.get_ep_names() if hasattr(package, "get_ep_names") else [package.get_ep_name()]
        library = str(package.get_library_path())
    except Exception as e:  # the package's own code may raise anything
        why = " ".join(said(e).split())
        raise DelegateUnavailable(f"The package '{module}' offers no plugin of ONNX Runtime here: {why}.") from e
    if not Path(library).is_file():
        raise DelegateUnavailable(f"The package '{module}' has no library for this machine: '{library}' is no file.")
    return Plugin(library, module.replace("_", "-"), tuple(map(str, names)))


def plugin_release(provider: str, wanted: str) -> str:
    """The version of a provider's plugin: its distribution's, or the time of the file; "" where there is none.

    Args:
        provider: the execution provider.
        wanted: the path of the plugin's library, or the package that has it; "": installed packages are searched.
    """
    if Path(wanted).is_file():
        return f"{wanted} of {Path(wanted).stat().st_mtime_ns}"
    plugins = (each for each in installed_plugins() if provider.partition(".")[0] in each.providers)
    name = wanted.replace("_", "-") if wanted else next((each.origin for each in plugins), "")
    try:
        return f"{name} {version(name)}" if name else ""
    except PackageNotFoundError:
        return name


def _modules() -> list[str]:
    return sorted(each.name for each in iter_modules() if each.name.startswith(PREFIX) and _is_plugin(each))


def _is_plugin(found: Any) -> bool:
    spec = found.module_finder.find_spec(found.name)
    try:
        text = Path(spec.origin).read_text(errors="replace") if spec is not None and spec.origin else ""
    except OSError:
        return False
    return all(mark in text for mark in MARKS)
