"""The built-in NPU delegate.

``support/`` answers whether a kernel may be taken, ``ops/`` how it is lowered to modules of ``ir/``; ``passes/`` and
``compiler/`` make programs of them, which ``execution/`` runs on ``device/``, the simulated accelerator.
"""

from .delegate import NPUDelegate
from .device import Device, Faults

__all__ = ["Device", "Faults", "NPUDelegate"]
