"""Writing ONNX models, without the package ``onnx`` and without copies of the weights."""

from .model import IR_VERSION, AttributeValue, ModelWriter, Outside, initializer_in_file
from .types import elem_type_of

__all__ = ["IR_VERSION", "AttributeValue", "ModelWriter", "Outside", "elem_type_of", "initializer_in_file"]
