"""Values: the tensors that flow between nodes, and the constants that nodes read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief, OneLine, extents, quoted
from .types.data_type import DataType, from_numpy
from .types.enums import WeightQuantCompressType
from .types.format import Format


@dataclass(frozen=True, slots=True)
class QuantParam(Brief):
    """Integers for real numbers: ``real = (q - zero_point) * scale``. Fields as in the schema."""

    scale: float = 1.0
    zero_point: int = 0
    min: float = 0.0
    max: float = 0.0
    narrow_range: bool = True
    num_bits: int = 8
    inited: bool = False
    var_corr: float = 1.0
    mean_corr: float = 0.0
    dst_dtype: int = 32
    round_type: int = 1
    multiplier: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class PackedWeights(Brief):
    """A constant whose bytes are not plain elements: compressed, Huffman coded or bit packed.

    Attributes:
        raw: the stored bytes, uint8, rank 1.
        compress_type: the file's compression type.
        huffman: the file's legacy Huffman flag.
    """

    raw: np.ndarray[Any, np.dtype[np.uint8]]
    compress_type: WeightQuantCompressType
    huffman: bool = False


@dataclass(frozen=True, slots=True)
class OpenShape(Brief):
    """The words of a file on an input of which it leaves dimensions open.

    Attributes:
        symbols: the name of each dimension, "" for one without (ONNX's ``dim_param``); empty where none has a name.
        usual: the dimensions that the file has beside the open ones (TFLite's ``shape`` beside ``shape_signature``),
            None where it has none.
    """

    symbols: tuple[str, ...] = ()
    usual: tuple[int, ...] | None = None


@dataclass(eq=False, slots=True)
class Value(OneLine):
    """A tensor of the graph: an input, an output, an intermediate result, or a constant.

    Two values are the same only if they are the same object; names need not be unique.

    Attributes:
        name: the tensor's name in the file.
        dtype: the element type.
        shape: the dimensions, -1 where a dimension is unknown; None when not even the rank is known.
        format: the layout tag; meaningful for rank 4 only.
        data: the contents of a constant, read-only; None otherwise.
        quant_params: no parameters, one (per tensor) or one per channel.
        quant_clusters: the k-means codebook, empty when there is none.
        packed: the contents of a constant that is stored packed; None otherwise.
        is_parameter: the file marks it as a variable parameter.
        open_shape: of an input, the file's statements on its open dimensions; None without any.
        was_half: of a float32 constant: the file has its numbers as float16.
    """

    name: str
    dtype: DataType
    shape: tuple[int, ...] | None
    format: Format = Format.NHWC
    data: np.ndarray[Any, Any] | None = None
    quant_params: tuple[QuantParam, ...] = ()
    quant_clusters: tuple[float, ...] = ()
    packed: PackedWeights | None = None
    is_parameter: bool = False
    open_shape: OpenShape | None = None
    was_half: bool = False

    @property
    def is_constant(self) -> bool:
        """True when the contents are part of the model."""
        return self.data is not None or self.packed is not None

    def _line(self) -> str:
        constant = ", constant" if self.is_constant else ""
        return f"{quoted(self.name)} {self.dtype.name} {extents(self.shape)}{constant}"


def index_array(numbers: Sequence[int]) -> np.ndarray[Any, Any]:
    """Dimensions, axes or places as an array: of int32, as files hold them, or of int64 where one does not fit."""
    most = np.iinfo(np.int32)
    fits = all(most.min <= number <= most.max for number in numbers)
    return np.array(numbers, np.int32 if fits else np.int64)


def constant(name: str, data: np.ndarray[Any, Any], format: Format = Format.NHWC) -> Value:
    """A constant value that holds a read-only view of ``data``."""
    view = data.view()
    view.flags.writeable = False
    return Value(name, from_numpy(data.dtype), data.shape, format, view)
