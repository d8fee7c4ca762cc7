"""Models as ONNX files: the lowering of a whole model, written down."""

from .emitter import OnnxFile
from .exporter import OnnxExporter

__all__ = ["OnnxExporter", "OnnxFile"]
