"""Objects that last between predictions: compiled models, which are shared, and requests, which are private."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .compiling.compilation import compile_graph
    from .compiling.compile_job import CompileJob
    from .model.compiled_model import CompiledModel
    from .model.request_queue import AsyncInferQueue, RequestQueue
    from .profiling.chrome_trace import to_chrome_trace
    from .profiling.profile import RequestProfile
    from .profiling.profiling_info import ProfilingInfo
    from .profiling.simulated_profile import SimulatedProfile
    from .profiling.stages import Stage, Stretch
    from .requests.infer_request import InferRequest
    from .requests.lifecycle import Outcome, RequestStatus
    from .state.state import VariableState
    from .state.stateful_graph import make_stateful
    from .tensors.copies import Copy
    from .tensors.port import Port
    from .tensors.results import Results
    from .tensors.snapshot import StateInfo, StateSnapshot
else:
    __getattr__ = _deferred(
        __name__,
        {
            "to_chrome_trace": "profiling.chrome_trace",
            "CompileJob": "compiling.compile_job",
            "CompiledModel": "model.compiled_model",
            "compile_graph": "compiling.compilation",
            "Copy": "tensors.copies",
            "InferRequest": "requests.infer_request",
            "Outcome": "requests.lifecycle",
            "RequestStatus": "requests.lifecycle",
            "Port": "tensors.port",
            "RequestProfile": "profiling.profile",
            "ProfilingInfo": "profiling.profiling_info",
            "AsyncInferQueue": "model.request_queue",
            "RequestQueue": "model.request_queue",
            "Results": "tensors.results",
            "SimulatedProfile": "profiling.simulated_profile",
            "StateInfo": "tensors.snapshot",
            "StateSnapshot": "tensors.snapshot",
            "Stage": "profiling.stages",
            "Stretch": "profiling.stages",
            "VariableState": "state.state",
            "make_stateful": "state.stateful_graph",
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
