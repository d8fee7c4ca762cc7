"""Writing ONNX models, without the package ``onnx`` and without copies of the weights."""

from .model import IR_VERSION, AttributeValue, ModelWriter, NodeMessage, Outside, initializer_in_file
from .release import OLDEST, check_release, in_release
from .types import elem_type_of

__all__ = [
    "IR_VERSION",
    "OLDEST",
    "AttributeValue",
    "ModelWriter",
    "NodeMessage",
    "Outside",
    "check_release",
    "elem_type_of",
    "in_release",
    "initializer_in_file",
]
