"""TensorMeta: name, type, shape and format of a tensor, without its contents."""

from __future__ import annotations

from dataclasses import field

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..ir.types.data_type import DataType
from ..ir.types.format import Format
from .tensor import Tensor


@dataclass
class TensorMeta(Brief):
    """Description of a tensor without its contents. Fields and defaults of ``mindspore_lite.TensorMeta``."""

    name: str = ""
    dtype: DataType = DataType.UNKNOWN
    shape: list[int] = field(default_factory=list)
    format: Format = Format.DEFAULT
    element_num: int = 0
    data_size: int = 0

    @classmethod
    def of(cls, tensor: Tensor) -> TensorMeta:
        """The description of ``tensor``."""
        return cls(tensor.name, tensor.dtype, tensor.shape, tensor.format, tensor.element_num, tensor.data_size)
