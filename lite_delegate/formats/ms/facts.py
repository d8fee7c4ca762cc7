"""Facts of a ``.ms`` file, whose operators are the schema's own."""

from __future__ import annotations

from collections import Counter

from ...ir import Graph, Value
from ...ir.types.enums import QuantType
from ...ir.types.format import layout_name
from ..facts import FileFacts, FileTensor, known_texts


def ms_facts(graph: Graph) -> FileFacts:
    """The facts of a file that was read."""
    graphs = list(graph.all_graphs())
    nodes = [node for each in graphs for node in each.nodes]
    constants = [value for each in graphs for value in each.values() if value.is_constant]
    return FileFacts(
        format="MindSpore Lite",
        inputs=tuple(map(_tensor, graph.inputs)),
        outputs=tuple(map(_tensor, graph.outputs)),
        operators=Counter(node.op_type for node in nodes),
        graphs=tuple(each.name for each in graphs),
        constants=len(constants),
        constant_bytes=sum(map(_nbytes, constants)),
        about={} if graph.info is None else known_texts({"name": graph.info.name, "version": graph.info.version}),
        custom=tuple(sorted({_custom_type(node.primitive) for node in nodes if node.op_type == "Custom"})),
        quantized=Counter(node.quant_type.name for node in nodes if node.quant_type != QuantType.QUANT_NONE),
    )


def _custom_type(primitive: object) -> str:
    return str(getattr(primitive, "type", None) or "Custom")


def _tensor(value: Value) -> FileTensor:
    dims = None if value.shape is None else tuple(None if d < 0 else d for d in value.shape)
    layout = layout_name(value.format, None if dims is None else len(dims))
    return FileTensor(value.name, value.dtype.name, dims, layout)


def _nbytes(value: Value) -> int:
    stored = value.data if value.packed is None else value.packed.raw
    return 0 if stored is None else stored.nbytes
