"""ONNX's own interface to a runtime: ``onnx.backend.base.Backend``, so that ONNX's published tests run against ours.

Needs the extra ``onnx``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, ClassVar, TypeAlias

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

from ..basics.counted import counted
from ..basics.words.one_line import OneLine
from ..delegate import Delegate
from ..devices.registry.delegate_spec import resolve_delegate
from ..errors import InputError, LiteDelegateError, ModelFormatError, UnsupportedOperatorError
from ..formats.onnx import read_onnx_buffer
from ..formats.onnx.protobuf.types import as_declared, widened
from ..mindspore.context.context import Context
from ..mindspore.model import Model
from ..passes.optimize import optimize

__all__ = [
    "LiteDelegateBackend",
    "NotImplementedHere",
    "PreparedModel",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]

Array = np.ndarray[Any, Any]
Outputs: TypeAlias = Any
"""A tuple of arrays that are there by name, too; ONNX makes a class for each model's names."""

TOLERANCES = frozenset({"rtol", "atol"})
"""Arguments that ONNX's test runner passes to ``prepare``, though they concern its comparison only."""


class NotImplementedHere(BackendIsNotSupposedToImplementIt, UnsupportedOperatorError):
    """A model with nodes that our operators cannot say; ONNX's test runner skips its case."""


class PreparedModel(BackendRep, OneLine):
    """A model that was imported, optimized and planned: the result of ``prepare``.

    Attributes:
        model: the runtime's model, for its partition and graph kernels.

    Args:
        elem_types: ONNX's element types of the outputs, for types that numpy itself does not have.
    """

    def __init__(self, model: Model, elem_types: Sequence[int] = ()) -> None:
        self.model = model
        self._elem_types = tuple(elem_types)
        self._outputs = namedtupledict("Outputs", [t.name for t in model.get_outputs()])
        self._lock = Lock()

    def run(self, inputs: Any, **kwargs: Any) -> Outputs:
        """The outputs in the model's order, as arrays; they can be asked for by name, too: ``run(x)["y"]``.

        Args:
            inputs: arrays (or what makes an array) in the model's order, or by name, or one array for a model with
                one input. Their shapes may differ from those before where the model leaves dimensions open.
            kwargs: no keyword is known.

        Raises:
            InputError: the inputs are not the model's inputs, or a keyword is given.
            LiteDelegateError: the model cannot have these shapes, or a kernel fails.
        """
        _reject_unknown("run", kwargs)
        with self._lock:
            arrays = self._by_name(inputs)
            tensors = self.model.get_inputs()
            shapes = [list(arrays[t.name].shape) for t in tensors]
            if shapes != [t.shape for t in tensors]:
                self.model.resize(tensors, shapes)
            results = self.model.predict(arrays)
        arrays_out = [np.asarray(t.get_data_to_numpy()) for t in results]
        for i, elem_type in enumerate(self._elem_types):
            arrays_out[i] = as_declared(arrays_out[i], elem_type)
        outputs: Outputs = self._outputs(*arrays_out)
        return outputs

    def _by_name(self, inputs: Any) -> dict[str, Array]:
        names = [t.name for t in self.model.get_inputs()]
        if isinstance(inputs, Mapping):
            if set(inputs) != set(names):
                raise InputError(f"inputs must be those of the model, {names}, got {list(inputs)}.")
            return {name: widened(np.asarray(inputs[name])) for name in names}
        given = [inputs] if isinstance(inputs, (np.ndarray, np.generic)) else list(inputs)
        if len(given) != len(names):
            raise InputError(f"the model has {counted(len(names), 'input')}, {names}, got {len(given)}.")
        return {name: widened(np.asarray(x)) for name, x in zip(names, given, strict=True)}

    def _line(self) -> str:
        return f"of {self.model!r}"


class LiteDelegateBackend(Backend, OneLine):
    """This runtime as a backend of ONNX.

    Devices are ``CPU``, ``NPU`` and ``NPU:PROFILE``, the built-in delegate with one of its profiles. A delegate of any
    kind comes with the argument ``delegate`` of ``prepare``, or with a class of one's own, for ONNX's tests, which
    know the devices CPU and CUDA only::

        class NPUBackend(LiteDelegateBackend):
            delegate = "npu"
    """

    delegate: ClassVar[str | Delegate | None] = None
    """What the device CPU is helped by where ``prepare`` is not told: a SPEC as ``--delegate`` takes, or a delegate."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Imports, optimizes and plans a model.

        Args:
            model: the model, with its weights; ``onnx.load`` brings in the weights of side files.
            device: where to run: ``CPU``, ``NPU`` or ``NPU:PROFILE``.
            kwargs: ``delegate``, a SPEC as ``--delegate`` takes or a ``Delegate``; ``optimize``, "general" (the
                default) or "none"; ``rtol`` and ``atol`` of ONNX's test runner are passed over.

        Raises:
            NotImplementedHere: (an UnsupportedOperatorError) lists every node that our operators cannot say.
            ModelFormatError: the model breaks a rule of the format.
            InputError: an unknown device, delegate, level, or argument.
            LiteDelegateError: the model cannot be planned.
        """
        _reject_unknown("prepare", set(kwargs) - TOLERANCES - {"delegate", "optimize"})
        context = Context()
        context.set_delegate(_delegate(device, kwargs.get("delegate", cls.delegate)))
        built = Model()
        try:
            graph = optimize(read_onnx_buffer(_serialized(model)), kwargs.get("optimize", "general")).graph
            built.build_from_graph(graph, context)
        except UnsupportedOperatorError as e:
            raise NotImplementedHere(str(e)) from e
        return PreparedModel(built, [output.type.tensor_type.elem_type for output in model.graph.output])

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> Outputs:
        """``prepare`` and ``PreparedModel.run`` in one.

        Raises:
            LiteDelegateError: as these two.
        """
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, Sequence[int]]] | None = None,
        **kwargs: Any,
    ) -> Outputs:
        """Runs one node as a model of its own.

        Args:
            node: the node.
            inputs: an array for each of its inputs that is not left out, in order.
            device: as ``prepare`` takes it.
            outputs_info: dtype and shape of the outputs; they are worked out without.
            kwargs: ``opset_version``, that of the node's domain, by default the newest; others as for ``prepare``.

        Raises:
            InputError: the number of inputs is wrong.
            LiteDelegateError: as ``prepare`` and ``PreparedModel.run``.
        """
        opset = kwargs.pop("opset_version", None)
        arrays = [np.asarray(x) for x in inputs]
        return cls.run_model(_model_of(node, arrays, outputs_info, opset), arrays, device, **kwargs)

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether ``prepare`` takes the model; it is prepared to find out."""
        try:
            cls.prepare(model, device, **kwargs)
        except LiteDelegateError:
            return False
        return True

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True for ``CPU``, ``NPU``, and ``NPU:PROFILE`` with a profile that exists."""
        try:
            _delegate(device, None)
        except InputError:
            return False
        return True


def _delegate(device: str, delegate: str | Delegate | None) -> Delegate | None:
    """The delegate that a device stands for, or else the one that was named."""
    kind, separator, profile = device.partition(":")
    if kind not in ("CPU", "NPU") or (kind == "CPU" and separator):
        raise InputError(f"device must be CPU, NPU or NPU:PROFILE, got '{device}'.")
    if kind == "NPU":
        return resolve_delegate(f"npu{separator}{profile}")
    return resolve_delegate(delegate) if isinstance(delegate, str) else delegate


def _serialized(model: onnx.ModelProto) -> bytes:
    if not isinstance(model, onnx.ModelProto):
        raise InputError(f"model must be an onnx.ModelProto, got {type(model).__name__}; onnx.load reads a file.")
    try:
        data: bytes = model.SerializeToString()
    except Exception as e:  # protobuf's errors: over 2 GiB, or text that is no UTF-8
        raise ModelFormatError(f"The model cannot be serialized: {e}. Save it with external data instead.") from e
    return data


def _model_of(
    node: onnx.NodeProto,
    arrays: Sequence[Array],
    outputs_info: Sequence[tuple[Any, Sequence[int]]] | None,
    opset: int | None,
) -> onnx.ModelProto:
    names = list(dict.fromkeys(name for name in node.input if name))
    if len(names) != len(arrays):
        raise InputError(f"node '{node.op_type}' has {counted(len(names), 'input')}, {names}, got {len(arrays)}.")
    inputs = [_described(name, x.dtype, x.shape) for name, x in zip(names, arrays, strict=True)]
    outputs = [name for name in node.output if name]
    if outputs_info is None:
        described = [onnx.helper.make_empty_tensor_value_info(name) for name in outputs]
    else:
        described = [_described(n, np.dtype(t), s) for n, (t, s) in zip(outputs, outputs_info, strict=True)]
    graph = onnx.helper.make_graph([node], node.op_type, inputs, described)
    imports = [onnx.helper.make_opsetid("", onnx.defs.onnx_opset_version())] if node.domain else []
    version = onnx.defs.onnx_opset_version() if opset is None and not node.domain else opset or 1
    imports.append(onnx.helper.make_opsetid(node.domain, version))
    return onnx.helper.make_model(graph, opset_imports=imports)


def _described(name: str, dtype: Any, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(dtype), shape)


def _reject_unknown(who: str, names: Any) -> None:
    if names:
        raise InputError(f"{who} has no arguments {', '.join(sorted(names))}.")


prepare = LiteDelegateBackend.prepare
run_model = LiteDelegateBackend.run_model
run_node = LiteDelegateBackend.run_node
is_compatible = LiteDelegateBackend.is_compatible
supports_device = LiteDelegateBackend.supports_device
