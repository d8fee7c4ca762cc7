"""Objects that last between predictions: compiled models, which are shared, and requests, which are private."""

from typing import TYPE_CHECKING

from ..deferred import deferred as _deferred

if TYPE_CHECKING:
    from .chrome_trace import to_chrome_trace
    from .compile_job import CompileJob
    from .compiled_model import CompiledModel
    from .compiling import compile_graph
    from .copies import Copy
    from .infer_request import InferRequest
    from .lifecycle import Outcome, RequestStatus
    from .port import Port
    from .profile import RequestProfile
    from .profiling_info import ProfilingInfo
    from .request_queue import AsyncInferQueue, RequestQueue
    from .results import Results
    from .simulated import SimulatedProfile
    from .snapshot import StateInfo, StateSnapshot
    from .stages import Stage, Stretch
    from .state import VariableState
    from .stateful import make_stateful
else:
    __getattr__ = _deferred(
        __name__,
        {
            "to_chrome_trace": "chrome_trace",
            "CompileJob": "compile_job",
            "CompiledModel": "compiled_model",
            "compile_graph": "compiling",
            "Copy": "copies",
            "InferRequest": "infer_request",
            "Outcome": "lifecycle",
            "RequestStatus": "lifecycle",
            "Port": "port",
            "RequestProfile": "profile",
            "ProfilingInfo": "profiling_info",
            "AsyncInferQueue": "request_queue",
            "RequestQueue": "request_queue",
            "Results": "results",
            "SimulatedProfile": "simulated",
            "StateInfo": "snapshot",
            "StateSnapshot": "snapshot",
            "Stage": "stages",
            "Stretch": "stages",
            "VariableState": "state",
            "make_stateful": "stateful",
        },
    )

__all__ = [
    "AsyncInferQueue",
    "CompileJob",
    "CompiledModel",
    "Copy",
    "InferRequest",
    "Outcome",
    "Port",
    "ProfilingInfo",
    "RequestProfile",
    "RequestQueue",
    "RequestStatus",
    "Results",
    "SimulatedProfile",
    "Stage",
    "StateInfo",
    "StateSnapshot",
    "Stretch",
    "VariableState",
    "compile_graph",
    "make_stateful",
    "to_chrome_trace",
]
