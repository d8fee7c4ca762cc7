"""ONNX's operators as nodes of OpenVINO: one file per family."""

from .call import OperatorCall
from .table import check, operators

__all__ = ["OperatorCall", "check", "operators"]
