"""Objects that last between predictions: compiled models, which are shared, and requests, which are private."""

from .compiled_model import CompiledModel, compile_graph
from .request import InferRequest

__all__ = ["CompiledModel", "InferRequest", "compile_graph"]
