"""ONNX Runtime as a delegate: each run is one session, on any of its execution providers."""

from .delegate import OnnxRuntimeDelegate

__all__ = ["OnnxRuntimeDelegate"]
