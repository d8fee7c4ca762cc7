"""Objects that last between predictions: compiled models, which are shared, and requests, which are private."""

from .compiled_model import CompiledModel, compile_graph
from .copies import Copy
from .lifecycle import Outcome, RequestStatus
from .port import Port
from .profile import RequestProfile
from .request import InferRequest
from .results import Results
from .stages import Stage, Stretch

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
    "Stretch",
    "compile_graph",
]
