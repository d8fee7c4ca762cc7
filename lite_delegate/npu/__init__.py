"""The built-in NPU delegate.

``support/`` answers whether a kernel may be taken, ``ops/`` how it is lowered, ``compiler/`` arranges layouts,
``device/`` is the simulated accelerator, ``profiles/`` holds its limits.
"""

from .delegate import NPUDelegate
from .device import Device, Faults

__all__ = ["Device", "Faults", "NPUDelegate"]
