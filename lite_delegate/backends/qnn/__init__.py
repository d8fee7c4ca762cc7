"""Qualcomm's HTP, through Qualcomm's plugin of ONNX Runtime; its emulator where there is no Snapdragon."""

from .delegate import QnnDelegate

__all__ = ["QnnDelegate"]
