"""ONNX's operators as nodes of OpenVINO: one file per family."""

from .call import Call, never
from .table import check, operators

__all__ = ["Call", "check", "never", "operators"]
