"""Writing TensorFlow Lite files: tensors, operators, subgraphs, signatures."""

from .file import TfliteFile
from .graph import GraphWriter
from .model import TfliteWriter
from .tensors import Quantization, TfliteTensor, tensor_type_of

__all__ = ["TfliteTensor", "GraphWriter", "TfliteWriter", "Quantization", "TfliteFile", "tensor_type_of"]
