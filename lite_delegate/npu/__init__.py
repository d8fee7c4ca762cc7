"""The built-in NPU delegate.

``operators/`` says which kernels may be taken and lowers them to modules of ``ir/``; ``passes/`` and ``compiler/`` make
programs of them, which ``execution/`` runs on ``device/``, the simulated accelerator.
"""

from .delegate import NPUDelegate
from .device import Device, Faults

__all__ = ["Device", "Faults", "NPUDelegate"]
