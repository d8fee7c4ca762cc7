"""Writing TensorFlow Lite files: tensors, operators, subgraphs, signatures."""

from .file import TfliteFile
from .graph import GraphWriter
from .model import ModelWriter
from .tensors import FileTensor, Quantization, tensor_type_of

__all__ = ["FileTensor", "GraphWriter", "ModelWriter", "Quantization", "TfliteFile", "tensor_type_of"]
