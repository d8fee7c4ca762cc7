"""Facts of a TensorFlow Lite file, in the file's own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...basics.counted import counted
from ...errors import ModelFormatError
from ...flatbuffer.mapping import map_file
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ..facts import FileFacts, FileTensor, known_texts
from .importer import indices, read_codes
from .package import require_tflite
from .reader import root_of
from .signatures import choose
from .tensors.buffers import Bytes, read_buffers
from .tensors.layout import enum_names

_CALLS = {
    "IfOptions": ("then_subgraph_index", "else_subgraph_index"),
    "WhileOptions": ("cond_subgraph_index", "body_subgraph_index"),
    "CallOptions": ("subgraph",),
    "CallOnceOptions": ("init_subgraph_index",),
}
"""The options that name subgraphs."""
_LAYOUTS = {4: "NHWC"}
_TEXT_BYTES = 200
"""Metadata up to this size that can be read as text is shown as text."""


def tflite_facts(path: Path, signature: str | None = None) -> FileFacts:
    """The facts of the part of a file that a signature names. Operators need not be known.

    Raises:
        ModelFormatError: it is missing, damaged, or no TensorFlow Lite model.
        InputError: there is no such signature.
        LiteDelegateError: the package ``tflite`` is not installed.
    """
    require_tflite()
    try:
        return _facts(map_file(path), signature)
    except FormatProblem as e:
        raise ModelFormatError(f"'{path}': {e}") from e


def _facts(content: memoryview, signature: str | None) -> FileFacts:
    root = root_of(content)
    records, codes = list(root["subgraphs"]), read_codes(list(root["operator_codes"]))
    entry = choose(root["signature_defs"], signature)
    buffers = read_buffers(root["buffers"] or (), content)
    graphs = _reached(records, entry.subgraph)
    operators = [codes[o["opcode_index"]] for i in graphs for o in records[i]["operators"] or ()]
    tensors = [t for i in graphs for t in records[i]["tensors"] or ()]
    stored = {n: buffers[n].size for n in (int(t["buffer"]) for t in tensors) if n < len(buffers) and buffers[n].size}
    main = records[entry.subgraph]
    outputs = [i for i in indices(main["outputs"]) if entry.outputs is None or i in entry.outputs]
    versions: dict[str, int] = {}
    for kind, custom, version in operators:
        versions[custom or kind] = max(version, versions.get(custom or kind, 0))
    return FileFacts(
        format="TensorFlow Lite",
        inputs=_tensors(main, indices(main["inputs"])),
        outputs=_tensors(main, outputs),
        operators=Counter(custom or kind for kind, custom, _ in operators),
        graphs=tuple(records[i]["name"] or f"subgraph-{i}" for i in graphs),
        constants=sum(int(t["buffer"]) in stored for t in tensors),
        constant_bytes=sum(stored.values()),
        about=known_texts({"schema version": root["version"], "description": root["description"]}),
        versions=versions,
        custom=tuple(sorted({custom for _, custom, _ in operators if custom})),
        signatures=tuple(each["signature_key"] or "" for each in root["signature_defs"] or ()),
        metadata={each["name"] or "": _text(buffers, int(each["buffer"])) for each in root["metadata"] or ()},
        quantized=Counter(_type(t) for t in tensors if _is_quantized(t)),
    )


def _reached(records: Sequence[Record], first: int) -> list[int]:
    """A subgraph, and all subgraphs that it calls, directly or not, each once."""
    found: dict[int, None] = {}
    left = [first]
    while left:
        index = left.pop(0)
        if not 0 <= index < len(records):
            raise FormatProblem(f"expected positions below {len(records)}, found {index}", "subgraph_index")
        if index not in found:
            found[index] = None
            left += [called for operator in records[index]["operators"] or () for called in _called(operator)]
    return list(found)


def _called(operator: Record) -> list[int]:
    options = operator["builtin_options"]
    if options is None or options.record is None:
        return []
    return [int(options.record[name]) for name in _CALLS.get(options.type, ())]


def _tensors(graph: Record, positions: Sequence[int]) -> tuple[FileTensor, ...]:
    records = list(graph["tensors"] or ())
    if any(not 0 <= i < len(records) for i in positions):
        raise FormatProblem(f"expected positions below {len(records)}", "inputs or outputs")
    return tuple(_tensor(records[i]) for i in positions)


def _tensor(record: Record) -> FileTensor:
    """NOTE: a dimension is open where the signature has -1, whatever number stands in its shape."""
    shape, signature = indices(record["shape"]), indices(record["shape_signature"])
    found = signature if len(signature) == len(shape) else shape
    dims = tuple(None if d < 0 else d for d in found)
    return FileTensor(record["name"] or "", _type(record), dims, _LAYOUTS.get(len(dims)))


def _type(record: Record) -> str:
    return enum_names("TensorType").get(int(record["type"]), f"type {record['type']}")


def _is_quantized(record: Record) -> bool:
    parameters = record["quantization"]
    return parameters is not None and parameters["scale"] is not None and len(parameters["scale"]) > 0


def _text(buffers: Sequence[Bytes], index: int) -> str:
    if index >= len(buffers):
        return "missing"
    found = buffers[index].tobytes()[: _TEXT_BYTES + 1]
    text = found.rstrip(b"\0").decode("ascii", "replace")
    return text if len(found) <= _TEXT_BYTES and text.isprintable() and "\ufffd" not in text else _size(buffers[index])


def _size(stored: Bytes) -> str:
    return counted(stored.size, "byte")
