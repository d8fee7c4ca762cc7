"""Objects that last between predictions: compiled models, which are shared, and requests, which are private."""

from .compiled_model import CompiledModel, compile_graph
from .copies import Copy
from .infer_request import InferRequest
from .lifecycle import Outcome, RequestStatus
from .port import Port
from .profile import RequestProfile
from .results import Results
from .snapshot import StateInfo, StateSnapshot
from .stages import Stage, Stretch
from .state import VariableState
from .stateful import make_stateful

__all__ = [
    "CompiledModel",
    "Copy",
    "InferRequest",
    "Outcome",
    "Port",
    "RequestProfile",
    "RequestStatus",
    "Results",
    "Stage",
    "StateInfo",
    "StateSnapshot",
    "Stretch",
    "VariableState",
    "compile_graph",
    "make_stateful",
]
