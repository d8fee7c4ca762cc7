"""Writing TensorFlow Lite files: tensors, operators, subgraphs, signatures."""

from .file import TfliteFile
from .graph import GraphWriter, Written
from .model import TfliteWriter
from .tensors import TEXT, Quantization, TfliteTensor, tensor_type_of
from .versions import version_of

__all__ = [
    "TEXT",
    "TfliteTensor",
    "GraphWriter",
    "TfliteWriter",
    "Quantization",
    "TfliteFile",
    "Written",
    "tensor_type_of",
    "version_of",
]
