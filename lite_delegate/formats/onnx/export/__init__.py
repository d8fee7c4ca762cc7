"""Writing ONNX models, without the package ``onnx`` and without copies of the weights."""

from .model import IR_VERSION, AttributeValue, ModelWriter, Outside
from .types import elem_type_of

__all__ = ["IR_VERSION", "AttributeValue", "ModelWriter", "Outside", "elem_type_of"]
