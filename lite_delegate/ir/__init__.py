"""The model: graphs, nodes, values, primitives, data types, formats, and the rules they keep."""

from .custom import custom_attributes, custom_primitive, custom_type
from .equal import difference
from .graph import Graph, ModelInfo, Node, Reading, Signature, read_through
from .mapped import FilePlace, drop_pages, file_place, files_of, is_at_place, is_current
from .order import topological_order
from .plain_values import make_primitive
from .primitive import Primitive
from .source import Source, joined_sources
from .text import graph_text
from .types.data_type import DataType, from_numpy, has_numpy, to_numpy
from .types.format import Format
from .value import OpenShape, PackedWeights, QuantParam, Value, constant, index_array
from .verify import verify

__all__ = [
    "DataType",
    "FilePlace",
    "Format",
    "Graph",
    "ModelInfo",
    "Node",
    "OpenShape",
    "PackedWeights",
    "Primitive",
    "QuantParam",
    "Reading",
    "Signature",
    "Source",
    "Value",
    "constant",
    "index_array",
    "custom_attributes",
    "custom_primitive",
    "custom_type",
    "difference",
    "drop_pages",
    "file_place",
    "files_of",
    "is_at_place",
    "is_current",
    "from_numpy",
    "graph_text",
    "has_numpy",
    "joined_sources",
    "make_primitive",
    "read_through",
    "to_numpy",
    "topological_order",
    "verify",
]
