"""Facts of a model file before anything is imported: its description, inputs, outputs and operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ..basics.data_class import dataclass

Dims = tuple[int | str | None, ...]
"""Dimensions: numbers, names of open dimensions, None for open dimensions without a name."""


@dataclass(frozen=True, slots=True)
class FileTensor:
    """An input or output of a model file.

    Attributes:
        name: the name in the file.
        dtype: the name of the element type; in small letters for a type that no kernel computes with.
        dims: the dimensions; None where not even their number is known.
        layout: the meaning of an image's dimensions to the format's operators ("NCHW"); None for no image.
    """

    name: str
    dtype: str
    dims: Dims | None
    layout: str | None = None


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The facts of a model file, in the file's own words.

    Attributes:
        format: "ONNX", "TensorFlow Lite" or "MindSpore Lite".
        inputs: the inputs that the caller gives.
        outputs: the outputs that the caller gets.
        operators: the number of nodes by type; "com.microsoft.Gelu" for a type outside ONNX's own domain.
        graphs: the names of its graphs, the main one first.
        constants: tensors whose contents are in the file, or in files beside it.
        constant_bytes: the bytes of these.
        about: further information of the file (version, producer, ...), by its name in words.
        opsets: the version of each domain of operators.
        versions: the highest version of each operator that has one of its own.
        custom: types of operators that the format itself does not define.
        functions: the file's own functions, with the number of their nodes.
        signatures: the names of its entries.
        metadata: keys with their texts, or with the number of bytes where they are no text.
        quantized: how many nodes, or else tensors, are quantized in which way; empty for a model of real numbers.
    """

    format: str
    inputs: tuple[FileTensor, ...]
    outputs: tuple[FileTensor, ...]
    operators: Mapping[str, int]
    graphs: tuple[str, ...]
    constants: int
    constant_bytes: int
    about: Mapping[str, str] = field(default_factory=dict)
    opsets: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    custom: tuple[str, ...] = ()
    functions: Mapping[str, int] = field(default_factory=dict)
    signatures: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    quantized: Mapping[str, int] = field(default_factory=dict)


def known_texts(pairs: Mapping[str, object]) -> dict[str, str]:
    """The facts that a file states: neither empty nor 0."""
    return {name: str(value) for name, value in pairs.items() if value}
