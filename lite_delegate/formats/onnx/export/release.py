"""ONNX models in another release of the operators, by the version converter of the package ``onnx``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....basics.data_class import dataclass
from ....basics.failures import said
from ....errors import GraphError, InputError
from ..protobuf.package import require_onnx

OLDEST = 17
"""The first release that models are written in; the converter has no way back to earlier ones."""


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """A model with the types of all its values."""

    proto: Any
    values: Mapping[str, Any]
    constants: Mapping[str, Any]


def check_release(opset: int) -> None:
    """Checks that models can be written in a release of the operators.

    Raises:
        InputError: it is no release from ``OLDEST`` to the newest of the installed package ``onnx``.
        LiteDelegateError: the package ``onnx`` is not installed.
    """
    require_onnx()
    import onnx

    newest = onnx.defs.onnx_opset_version()
    if isinstance(opset, bool) or not isinstance(opset, int) or not OLDEST <= opset <= newest:
        raise InputError(f"The opset must be a number from {OLDEST} to {newest}, got {opset!r}.")


def in_release(content: bytes, opset: int) -> bytes:
    """A model in another release of the operators. Names of inputs, outputs and nodes stay.

    Args:
        content: the model's bytes; contents that are beside it stay there.
        opset: the release.

    Raises:
        InputError: as ``check_release``.
        GraphError: the release cannot say a node, which the message names.
        LiteDelegateError: the package ``onnx`` is not installed.
    """
    check_release(opset)
    import onnx

    model = onnx.load_model_from_string(content)
    try:
        found = _converted(model, opset)
    except Exception as e:  # the converter's errors have no common type
        raise GraphError(_refusal(model, opset) or f"release {opset} of ONNX's operators: {_short(e)}") from e
    return bytes(found.SerializeToString())


def _converted(model: Any, opset: int) -> Any:
    """The model in a release, which the checker of ONNX accepts.

    Contents beside the model are inputs meanwhile: the converter and the checker look for their file.
    """
    import onnx
    from onnx import version_converter

    inside, outside = onnx.ModelProto(), _outside(model)
    inside.CopyFrom(model)
    kept = [each for each in inside.graph.initializer if each.name not in outside]
    del inside.graph.initializer[:]
    inside.graph.initializer.extend(kept)
    inside.graph.input.extend(
        onnx.helper.make_tensor_value_info(each.name, each.data_type, each.dims) for each in outside.values()
    )
    found = version_converter.convert_version(inside, opset)
    found.ir_version = onnx.helper.find_min_ir_version_for(found.opset_import)
    onnx.checker.check_model(found)
    given = [each for each in found.graph.input if each.name not in outside]
    del found.graph.input[:]
    found.graph.input.extend(given)
    found.graph.initializer.extend(outside.values())
    return found


def _outside(model: Any) -> dict[str, Any]:
    """The constants beside a model, by name."""
    from onnx import TensorProto

    return {each.name: each for each in model.graph.initializer if each.data_location == TensorProto.EXTERNAL}


def _refusal(model: Any, opset: int) -> str:
    """The message on the first node that a release cannot say; "" where that is none alone."""
    import onnx

    inferred = onnx.shape_inference.infer_shapes(model)
    graph = inferred.graph
    values = {each.name: each for each in (*graph.value_info, *graph.input, *graph.output)}
    whole = _Model(inferred, values, {each.name: each for each in graph.initializer})
    for node in graph.node:
        try:
            _converted(_alone(whole, node), opset)
        except Exception as e:  # as above
            return (
                f"node '{node.name}' ({node.op_type}) cannot be said in release {opset} of ONNX's operators: {said(e)}"
            )
    return ""


def _short(error: Exception) -> str:
    """The last part of the converter's message, which begins with places in its sources."""
    return said(error).rpartition("failed: ")[2]


def _alone(whole: _Model, node: Any) -> Any:
    """A model of one node."""
    from onnx import helper

    read = [name for name in dict.fromkeys(node.input) if name]
    graph = helper.make_graph(
        [node],
        "node",
        [whole.values[name] for name in read if name in whole.values],
        [whole.values[name] for name in node.output if name in whole.values],
        [whole.constants[name] for name in read if name in whole.constants],
    )
    return helper.make_model(graph, opset_imports=whole.proto.opset_import, ir_version=whole.proto.ir_version)
