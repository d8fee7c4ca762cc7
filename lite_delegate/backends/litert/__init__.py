"""LiteRT as a delegate: XNNPACK, its reference kernels, or any external delegate of TensorFlow Lite."""

from .delegate import LiteRTDelegate

__all__ = ["LiteRTDelegate"]
