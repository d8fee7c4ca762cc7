"""ONNX's operators as nodes of OpenVINO: one file per family."""

from .call import Call
from .table import check, operators

__all__ = ["Call", "check", "operators"]
