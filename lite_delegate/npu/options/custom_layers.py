"""Custom layers: an XML file with layers that the delegate leaves to the host, even where the device has them.

    <CustomLayers>
      <CustomLayer type="Softmax"/>
      <CustomLayer name="head/conv_3"/>
      <CustomLayer type="Custom" name="my_nms"/>
    </CustomLayers>

``type`` is an operator, ``name`` a node of the model, as the ``.ms`` format or as the model's file calls it: "Conv",
"com.microsoft.Gelu", "CONV_2D". A layer with both must fit both.

Files that were written for vision processors are read as well. There the ``type`` is the kind of kernel, the ``name``
an operator, and the element's contents describe the call of a kernel in OpenCL; one layer may be the whole file:

    <CustomLayer name="Softmax" type="MVCL" version="1">
      <Kernel entry="softmax"><Source filename="softmax.cl"/></Kernel>
      <Parameters>...</Parameters>
    </CustomLayer>

The simulated device runs no such kernels, so these layers run with the host's kernels, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

from ...basics.data_class import dataclass
from ...basics.similar import did_you_mean
from ...errors import InputError
from ...ir.operator_names import format_of
from ...properties import shown
from ...properties.kinds import MAX_TEXT
from ..profiles.user_file import read_user_file

MAX_BYTES = 1024 * 1024
"""Size of the file at most."""
MAX_LAYERS = 10_000
ROOT, LAYER = "CustomLayers", "CustomLayer"
ATTRIBUTES = ("type", "name")
KERNEL_KINDS = ("MVCL", "SimpleGPU", "CPP")
"""Values of ``type`` that name a kind of kernel, not an operator; ``name`` is the operator then."""
MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class CustomLayers:
    """The layers of a file.

    Attributes:
        path: of the file, "" for none.
        types: operators.
        names: of nodes of any operator.
        both: operator and name.
    """

    path: str = ""
    types: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    both: frozenset[tuple[str, str]] = frozenset()

    def __str__(self) -> str:
        return self.path

    @property
    def digest(self) -> str:
        """A hash of the layers, wherever the file lies."""
        layers = sorted(self.types), sorted(self.names), sorted(self.both)
        return blake2b(repr(layers).encode(), digest_size=8).hexdigest()

    def binds(self, op_type: str, name: str) -> bool:
        """True when a layer of that operator and name is in the file."""
        return op_type in self.types or name in self.names or (op_type, name) in self.both

    def unmatched(self, nodes: Iterable[tuple[str, str]]) -> list[str]:
        """A sentence for each name that no node of a model has, or none of the operator that stands beside it.

        Args:
            nodes: operator and name of every node, by all words that it may be called by.
        """
        pairs = set(nodes)
        names = {name for _, name in pairs}
        missing = sorted((self.names | {name for _, name in self.both}) - names)
        wrong = sorted((op_type, name) for op_type, name in self.both - pairs if name in names)
        start = f"VPU_CUSTOM_LAYERS: {self.path[:200]!a} names"
        return [
            f"{start} {shown(n)}, no node of the model is called so{did_you_mean(n, names) or '.'}" for n in missing
        ] + [f"{start} {shown(name)} of type {shown(op_type)}, no node of that name is one." for op_type, name in wrong]


@dataclass(frozen=True, slots=True)
class CustomLayersKind:
    """The kind of ``VPU_CUSTOM_LAYERS``."""

    @property
    def allowed(self) -> str:
        """The values that it takes."""
        return "empty or the path of an XML file of custom layers"

    def parse(self, value: object) -> CustomLayers:
        """The layers of the file at that path, which is read now."""
        if isinstance(value, CustomLayers):
            return value
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ValueError
        return read_custom_layers(value) if value else CustomLayers()


def read_custom_layers(path: str) -> CustomLayers:
    """The layers of a file.

    Raises:
        InputError: it cannot be read, is too large, is not XML, declares entities, or holds something else.
    """
    where = f"Custom layers file {path[:200]!a}"
    layers = _layers(read_user_file(path, where, MAX_BYTES), where)
    return CustomLayers(
        path,
        frozenset(type_ for type_, name in layers if name is None and type_ is not None),
        frozenset(name for type_, name in layers if type_ is None and name is not None),
        frozenset((type_, name) for type_, name in layers if type_ is not None and name is not None),
    )


def _layers(content: bytes, where: str) -> list[tuple[str | None, str | None]]:
    """Type and name of each layer. A file that declares a document type, and so could declare entities, is rejected."""
    from xml.parsers import expat

    layers: list[tuple[str | None, str | None]] = []
    depth = layer_depth = 0
    is_kernel = False

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth, layer_depth
        line = parser.CurrentLineNumber
        depth += 1
        if layer_depth and is_kernel and depth <= MAX_DEPTH and tag not in (ROOT, LAYER):
            return
        expected = ROOT if depth == 1 and not _has_kernel(attributes) else LAYER
        if layer_depth or tag != expected:
            raise InputError(f"{where} must be {ROOT} with {LAYER} in it, has {shown(tag)} in line {line}.")
        if tag == LAYER:
            layer_depth = depth
            add(attributes, f"{where}, line {line}")

    def add(attributes: Mapping[str, str], place: str) -> None:
        nonlocal is_kernel
        is_kernel = _has_kernel(attributes)
        layers.append(_layer({"type": attributes["name"]} if is_kernel else attributes, place))
        if len(layers) > MAX_LAYERS:
            raise InputError(f"{where} may have {MAX_LAYERS} layers at most, has more.")

    def end(tag: str) -> None:
        nonlocal depth, layer_depth
        layer_depth = 0 if depth == layer_depth else layer_depth
        depth -= 1

    def doctype(*_: object) -> None:
        raise InputError(f"{where} must not declare a document type (DOCTYPE).")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, doctype
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as e:
        if isinstance(e, InputError):
            raise
        raise InputError(f"{where} is not XML: {' '.join(str(e).split())[:200]}.") from e
    return layers


def _layer(attributes: Mapping[str, str], where: str) -> tuple[str | None, str | None]:
    unknown = sorted(set(attributes) - set(ATTRIBUTES))
    if unknown or not attributes:
        found = shown(unknown[0]) if unknown else "neither"
        raise InputError(f"{where}: a {LAYER} has a type, a name or both, got {found}.")
    op_type = attributes.get("type")
    if op_type is not None and not _is_operator(op_type, known := _operators()):
        close = did_you_mean(op_type, known)
        raise InputError(f"{where}: type must be an operator, got {shown(op_type)}{close or '.'}")
    return op_type, attributes.get("name")


def _has_kernel(attributes: Mapping[str, str]) -> bool:
    """True for a layer that is bound to a kernel in OpenCL; its name is an operator."""
    return attributes.get("type") in KERNEL_KINDS and "name" in attributes


def _is_operator(op_type: str, known: Collection[str]) -> bool:
    """True for an operator of any format; an operator of another domain is recognized by the domain alone."""
    domain, _, name = op_type.rpartition(".")
    return op_type in known or format_of(op_type) != "" or bool(domain and name)


def _operators() -> Collection[str]:
    from ...ir.primitives import PRIMITIVE_CLASSES

    return PRIMITIVE_CLASSES
