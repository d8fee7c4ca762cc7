"""Plugins are registered with ONNX Runtime, once in a process."""

from __future__ import annotations

from threading import Lock
from typing import Any

from ....errors import DelegateUnavailable
from .packages import PUBLISHED, Plugin, installed_plugins, plugin_named
from .standard_output import away_from_standard_output

LEAST_RELEASE = "1.23"
"""The first release of ONNX Runtime whose Python package loads plugins."""
_lock = Lock()
_libraries: dict[str, str] = {}
"""The libraries that this process has loaded, by the name that they are registered under: ONNX Runtime keeps them."""


def register(ort: Any, provider: str, wanted: str) -> Plugin | None:
    """Loads the plugin of a provider, unless ONNX Runtime has the provider already.

    Args:
        ort: the package ``onnxruntime``.
        provider: the execution provider.
        wanted: the path of the plugin's library, or the package that has it; "": installed packages are searched.

    Returns:
        The plugin; None where ONNX Runtime has the provider by itself, or no package has it.

    Raises:
        DelegateUnavailable: the plugin is not there, or cannot be loaded.
    """
    with _lock:
        if not wanted and (provider in ort.get_available_providers() or provider_devices(ort, provider)):
            return None
        plugin = plugin_named(wanted) if wanted else _of_packages(provider)
        if plugin is not None:
            _load(ort, plugin, provider)
        return plugin


def provider_devices(ort: Any, provider: str) -> list[Any]:
    """The devices of a provider whose plugin is registered."""
    if not hasattr(ort, "get_ep_devices"):
        return []
    return [each for each in ort.get_ep_devices() if each.ep_name == provider]


def absence(provider: str, plugin: Plugin | None, there: list[str]) -> str:
    """A sentence on why a provider cannot be used.

    Args:
        provider: the execution provider.
        plugin: the plugin that was loaded for it.
        there: the execution providers that ONNX Runtime has.
    """
    if plugin is not None:
        return (
            f"The plugin '{plugin.origin}' of ONNX Runtime is installed, and has no device for '{provider}' on this "
            "machine."
        )
    package = PUBLISHED.get(provider)
    hint = f" Its plugin is on the index: pip install {package}." if package else ""
    return f"ONNX Runtime has no '{provider}' here; it has {', '.join(there)}.{hint}"


def _of_packages(provider: str) -> Plugin | None:
    family = provider.partition(".")[0]
    return next((each for each in installed_plugins() if family in each.providers), None)


def _load(ort: Any, plugin: Plugin, provider: str) -> None:
    if plugin.library in _libraries.values():
        return
    if not hasattr(ort, "register_execution_provider_library"):
        raise DelegateUnavailable(
            f"ONNX Runtime {ort.__version__} cannot load the plugin '{plugin.origin}': {LEAST_RELEASE} or newer is "
            "needed."
        )
    name = plugin.providers[0] if plugin.providers else provider
    try:
        with away_from_standard_output():
            ort.register_execution_provider_library(name, plugin.library)
    except Exception as e:  # ONNX Runtime's exceptions have no common type
        raise DelegateUnavailable(
            f"ONNX Runtime cannot load the plugin '{plugin.origin}': {' '.join(str(e).split())}"
        ) from e
    _libraries[name] = plugin.library
