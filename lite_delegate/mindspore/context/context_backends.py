"""The runtimes on whose kernels models of a context run the nodes that delegates leave to the CPU."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...delegate import Delegate


@cache
def context_backends(choice: str) -> tuple[Delegate, ...]:
    """The delegates of the runtimes, which all contexts share.

    Args:
        choice: a value of ``CPU_BACKENDS``.

    Raises:
        DelegateUnavailable: a delegate cannot be made.
    """
    from ...devices.settings.cpu_backends import cpu_backends
    from .npu_device import machine

    return cpu_backends(choice, machine().devices)
