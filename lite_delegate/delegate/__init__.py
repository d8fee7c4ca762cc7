"""The interface that a delegate author implements and uses."""

from .boundary import Boundary
from .delegate import Delegate
from .estimate import DeviceEstimate, LayerEstimate
from .kernel import Kernel
from .limits import DelegateLimits
from .model import DelegateModel
from .spans import SpanKind, SpanRecorder, current_recorder, recording, span
from .support import RejectCode, Rejected, Supported, SupportResult

__all__ = [
    "Boundary",
    "Delegate",
    "DelegateLimits",
    "DelegateModel",
    "DeviceEstimate",
    "Kernel",
    "LayerEstimate",
    "RejectCode",
    "Rejected",
    "SpanKind",
    "SpanRecorder",
    "SupportResult",
    "Supported",
    "current_recorder",
    "recording",
    "span",
]
