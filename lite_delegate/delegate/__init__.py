"""The interface that a delegate author implements and uses."""

from typing import TYPE_CHECKING

from ..deferred import deferred as _deferred

if TYPE_CHECKING:
    from .bound_kernel import BoundKernel
    from .boundary import Boundary
    from .cancel import CancelToken, cancel_point, current_token, reset_token, set_token
    from .control_flow import Body, Branches, Rounds
    from .delegate import Delegate
    from .device_clock import simulated_ready_us, tell_device_run
    from .device_run import DeviceRun, DeviceStage
    from .estimate import DeviceEstimate, LayerEstimate
    from .flow import ControlFlow
    from .kernel import Kernel
    from .layer_time import LayerTime, tell_layers
    from .limits import DelegateLimits
    from .log import DelegateLog
    from .model import DelegateModel
    from .request_memory import RequestMemory
    from .spans import SpanKind, SpanRecorder, current_recorder, recording, span
    from .status import Status
    from .support import RejectCode, Rejected, Supported, SupportResult
    from .telemetry import Telemetry
    from .turn_cause import TurnCause
    from .wishes import Wishes, current_wishes
else:
    __getattr__ = _deferred(
        __name__,
        {
            "BoundKernel": "bound_kernel",
            "Boundary": "boundary",
            "CancelToken": "cancel",
            "cancel_point": "cancel",
            "current_token": "cancel",
            "reset_token": "cancel",
            "set_token": "cancel",
            "Body": "control_flow",
            "Branches": "control_flow",
            "Rounds": "control_flow",
            "ControlFlow": "flow",
            "Delegate": "delegate",
            "DeviceRun": "device_run",
            "LayerTime": "layer_time",
            "tell_layers": "layer_time",
            "DeviceStage": "device_run",
            "simulated_ready_us": "device_clock",
            "tell_device_run": "device_clock",
            "DeviceEstimate": "estimate",
            "LayerEstimate": "estimate",
            "Kernel": "kernel",
            "DelegateLimits": "limits",
            "DelegateLog": "log",
            "DelegateModel": "model",
            "RequestMemory": "request_memory",
            "SpanKind": "spans",
            "SpanRecorder": "spans",
            "current_recorder": "spans",
            "recording": "spans",
            "span": "spans",
            "RejectCode": "support",
            "Rejected": "support",
            "Supported": "support",
            "SupportResult": "support",
            "Status": "status",
            "Telemetry": "telemetry",
            "TurnCause": "turn_cause",
            "Wishes": "wishes",
            "current_wishes": "wishes",
        },
    )

__all__ = [
    "BoundKernel",
    "Body",
    "Boundary",
    "Branches",
    "CancelToken",
    "ControlFlow",
    "Delegate",
    "DelegateLimits",
    "DelegateLog",
    "DelegateModel",
    "DeviceEstimate",
    "DeviceRun",
    "DeviceStage",
    "Kernel",
    "LayerEstimate",
    "LayerTime",
    "RejectCode",
    "Rejected",
    "RequestMemory",
    "Rounds",
    "SpanKind",
    "TurnCause",
    "SpanRecorder",
    "Status",
    "SupportResult",
    "Supported",
    "Telemetry",
    "Wishes",
    "cancel_point",
    "current_recorder",
    "current_token",
    "current_wishes",
    "recording",
    "reset_token",
    "set_token",
    "span",
    "simulated_ready_us",
    "tell_device_run",
    "tell_layers",
]
