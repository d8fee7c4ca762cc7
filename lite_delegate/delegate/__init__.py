"""The interface that a delegate author implements and uses."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .answers.device_file import DeviceFile
    from .answers.device_run import DeviceRun, DeviceStage
    from .answers.estimate import DeviceEstimate, LayerEstimate
    from .answers.limits import DelegateLimits
    from .answers.request_memory import RequestMemory
    from .answers.status import Status
    from .answers.support import RejectCode, Rejected, Supported, SupportResult
    from .answers.telemetry import Telemetry
    from .answers.turn_cause import TurnCause
    from .bound_kernel import BoundKernel
    from .boundary import Boundary
    from .calls.cancel import CancelToken, cancel_point, current_token, reset_token, set_token
    from .calls.device_clock import simulated_ready_us, tell_device_run
    from .calls.layer_time import LayerTime, tell_layers
    from .calls.log import DelegateLog
    from .calls.spans import SpanKind, SpanRecorder, current_recorder, recording, span
    from .control_flow import Body, Branches, Rounds
    from .delegate import Delegate
    from .flow import ControlFlow
    from .kernel import Kernel
    from .model import DelegateModel
    from .samples import Samples, current_samples
    from .wishes import Wishes, current_wishes
else:
    __getattr__ = _deferred(
        __name__,
        {
            "BoundKernel": "bound_kernel",
            "Boundary": "boundary",
            "CancelToken": "calls.cancel",
            "cancel_point": "calls.cancel",
            "current_token": "calls.cancel",
            "reset_token": "calls.cancel",
            "set_token": "calls.cancel",
            "Body": "control_flow",
            "Branches": "control_flow",
            "Rounds": "control_flow",
            "ControlFlow": "flow",
            "Delegate": "delegate",
            "DeviceFile": "answers.device_file",
            "DeviceRun": "answers.device_run",
            "LayerTime": "calls.layer_time",
            "tell_layers": "calls.layer_time",
            "DeviceStage": "answers.device_run",
            "simulated_ready_us": "calls.device_clock",
            "tell_device_run": "calls.device_clock",
            "DeviceEstimate": "answers.estimate",
            "LayerEstimate": "answers.estimate",
            "Kernel": "kernel",
            "DelegateLimits": "answers.limits",
            "DelegateLog": "calls.log",
            "DelegateModel": "model",
            "RequestMemory": "answers.request_memory",
            "SpanKind": "calls.spans",
            "SpanRecorder": "calls.spans",
            "current_recorder": "calls.spans",
            "recording": "calls.spans",
            "span": "calls.spans",
            "RejectCode": "answers.support",
            "Rejected": "answers.support",
            "Supported": "answers.support",
            "SupportResult": "answers.support",
            "Status": "answers.status",
            "Telemetry": "answers.telemetry",
            "TurnCause": "answers.turn_cause",
            "Samples": "samples",
            "current_samples": "samples",
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
    "DeviceFile",
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
    "Samples",
    "Wishes",
    "cancel_point",
    "current_recorder",
    "current_token",
    "current_samples",
    "current_wishes",
    "recording",
    "reset_token",
    "set_token",
    "span",
    "simulated_ready_us",
    "tell_device_run",
    "tell_layers",
]
