"""ONNX's messages from the package ``onnx``, without the rest of the package.

``import onnx`` loads its checker, its composer, its printer, forms of text and more: four times as long as what its
messages take, which are all that most models need to be read. So the file of the package that protobuf generated is
executed by itself. Whoever imports the package, before or after, has the very same classes: protobuf makes one for each
message. Where there is no such file, or it cannot be executed alone, the package is imported.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto

GENERATED = "onnx_ml_pb2"
"""The module of the package that defines the messages."""


def definitions() -> Any:
    """A module, or the package, that has the messages by their names."""
    found = None if "onnx" in sys.modules else _alone()
    if found is not None:
        return found
    import onnx

    return onnx


def _alone() -> Any:
    """The generated module, executed under a private name; None where it cannot be executed alone."""
    package = find_spec("onnx")
    for folder in (package and package.submodule_search_locations) or ():
        path = Path(folder) / f"{GENERATED}.py"
        spec = spec_from_file_location(f"{__name__}.{GENERATED}", path)
        if spec is None or spec.loader is None or not path.is_file():
            continue
        module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception:
            # A package of another version may raise anything: importing the whole package reports the error, or works.
            return None
        return module
    return None


if not TYPE_CHECKING:
    _found = definitions()
    AttributeProto, FunctionProto, GraphProto = _found.AttributeProto, _found.FunctionProto, _found.GraphProto
    ModelProto, NodeProto = _found.ModelProto, _found.NodeProto
    TensorProto, TypeProto = _found.TensorProto, _found.TypeProto

__all__ = [
    "AttributeProto",
    "FunctionProto",
    "GraphProto",
    "ModelProto",
    "NodeProto",
    "TensorProto",
    "TypeProto",
    "definitions",
]
