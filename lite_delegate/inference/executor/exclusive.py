"""Executors that compiled models share with EXCLUSIVE_ASYNC_REQUESTS: one run after the other, on the host too."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from weakref import WeakValueDictionary

from ...basics.forking import free, free_in_children
from ..properties.model_properties import DeviceProperties, KernelsOwner
from .executor import Executor

KEY = "EXCLUSIVE_ASYNC_REQUESTS"


class _Shared:
    """One executor with one worker for each device, kept while a model uses it. Safe for several threads."""

    def __init__(self) -> None:
        self._executors: WeakValueDictionary[str, Executor] = WeakValueDictionary()
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def of(self, device: str) -> Executor:
        """The executor of a device; each model sets its own number of math threads."""
        with self._lock:
            found = self._executors.get(device)
            if found is None:
                found = self._executors[device] = Executor(1, overlaps=False)
            return found


_SHARED = _Shared()


def exclusive_executor(devices: Iterable[DeviceProperties]) -> Executor | None:
    """The executor that a model shares with all exclusive models of its device; None without exclusive requests.

    Args:
        devices: of the model; the first device with EXCLUSIVE_ASYNC_REQUESTS counts.
    """
    for each in devices:
        owner, values = each.owner, each.values
        if isinstance(owner, KernelsOwner) and KEY in values.registry and values.value(KEY) is True:
            return _SHARED.of(owner.delegate.name)
    return None
