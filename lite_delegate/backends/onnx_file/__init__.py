"""ONNX files of models: the lowering of a whole model, written to a file."""

from .emitter import FileEmitter, OnnxFile
from .exporter import OnnxExporter, written

__all__ = ["FileEmitter", "OnnxExporter", "OnnxFile", "written"]
