"""Packages of plugins that tests make, and a stand-in for the package ``onnxruntime``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SOURCE = """
from pathlib import Path

def get_library_path():
    return str(Path(__file__).parent / "plugin.so")

def get_ep_name():
    return {name!r}
"""
SEVERAL = """
def get_ep_names():
    return {names!r}
"""


def install(folder: Path, module: str, names: Sequence[str], *, has_library: bool = True, more: str = "") -> Path:
    """Puts the package of a plugin into a folder; returns the place of its library.

    Args:
        folder: a folder that Python looks into.
        module: the name of the package.
        names: its execution providers.
        has_library: whether the library is there.
        more: lines of the package's source.
    """
    place = folder / module
    place.mkdir()
    several = SEVERAL.format(names=list(names)) if len(names) > 1 else ""
    (place / "__init__.py").write_text(SOURCE.format(name=names[0]) + several + more)
    if has_library:
        (place / "plugin.so").write_bytes(b"no library")
    return place / "plugin.so"


def device(name: str, kind: str = "NPU") -> Any:
    """A device as ``get_ep_devices`` of ONNX Runtime lists it."""
    return SimpleNamespace(ep_name=name, device=SimpleNamespace(type=f"OrtHardwareDeviceType.{kind}"), ep_metadata={})


class FakeRuntime:
    """The part of the package ``onnxruntime`` that registers plugins.

    Args:
        devices: the devices that a library brings, by its path.
        error: what the loading of libraries raises.
    """

    __version__ = "1.99"

    def __init__(self, devices: dict[str, Sequence[Any]] | None = None, error: Exception | None = None) -> None:
        self._brought, self._error = devices or {}, error
        self.registered: list[tuple[str, str]] = []

    def get_available_providers(self) -> list[str]:
        return ["CPUExecutionProvider"]

    def get_ep_devices(self) -> list[Any]:
        return [each for _, library in self.registered for each in self._brought.get(library, ())]

    def register_execution_provider_library(self, name: str, library: str) -> None:
        if self._error is not None:
            raise self._error
        assert (name, library) not in self.registered, "ONNX Runtime refuses a second registration"
        self.registered.append((name, library))


class OldRuntime:
    """A release of ONNX Runtime that loads no plugins."""

    __version__ = "1.18.0"

    def get_available_providers(self) -> list[str]:
        return ["CPUExecutionProvider"]
