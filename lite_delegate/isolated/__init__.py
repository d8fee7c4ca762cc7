"""A delegate in a process of its own, which may crash, hang, print and have packages of its own."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .delegate import IsolatedDelegate
    from .isolation import Isolation
else:
    __getattr__ = _deferred(__name__, {"IsolatedDelegate": "delegate", "Isolation": "isolation"})

__all__ = ["IsolatedDelegate", "Isolation"]
