"""What a delegate author implements and uses."""

from .delegate import Delegate
from .kernel import Kernel
from .model import Boundary, DelegateModel
from .support import RejectCode, Rejected, Supported, SupportResult

__all__ = [
    "Boundary",
    "Delegate",
    "DelegateModel",
    "Kernel",
    "RejectCode",
    "Rejected",
    "SupportResult",
    "Supported",
]
