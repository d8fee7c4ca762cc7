"""Writing kernels into a subgraph: in a form of their own where there is one, else lowered to elementary operators."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...formats.tflite.export import TfliteWriter, Written
from ...ir import DataType, to_numpy
from ...semantics.fitting import DoesNotFit
from ...tensors.tensor import Tensor
from ..lowering import NotLowered, Term
from ..lowering.lowering import Lowering
from ..lowering.quantized import RealForm
from ..lowering.run import check_tensors, lower, operator_of
from ..lowering.term import Lowered, identity
from .emitting.emitter import TfliteEmitter
from .flow import write_control_flow
from .node import DirectNode
from .scope import RunScope
from .table import direct_of


def claim(kernel: Kernel, *, is_tflite: bool = False) -> SupportResult:
    """The answer to whether a kernel can be written: it is, to a file that is thrown away; see ``RunScope``."""
    try:
        write_kernel(kernel, scratch(kernel, is_tflite))
    except NotLowered as e:
        return e.rejected
    except DoesNotFit as e:
        return Rejected(RejectCode.ATTRIBUTE, str(e))
    return Supported()


def operators_of(kernel: Kernel) -> list[Written]:
    """The operators that a kernel is written as, those of subgraphs included.

    Raises:
        NotLowered: TensorFlow Lite's operators do not compute it.
        DoesNotFit: the kernel's attributes, shapes and constants do not go together.
    """
    scope = scratch(kernel)
    write_kernel(kernel, scope)
    return [written for graph in scope.model.graphs for written in graph.operators]


def scratch(kernel: Kernel, is_tflite: bool = False) -> RunScope:
    """A subgraph of its own with the inputs of a kernel."""
    model = TfliteWriter()
    scope = RunScope(model, model.graph("scratch"), is_tflite=is_tflite)
    for tensor in dict.fromkeys(kernel.inputs):
        if not tensor.is_const:
            scope.take(tensor)
    return scope


def write_kernel(kernel: Kernel, scope: RunScope) -> bool:
    """Writes one kernel.

    Returns:
        Whether it has a form of its own.

    Raises:
        NotLowered: TensorFlow Lite's operators do not compute it.
        DoesNotFit: the kernel's attributes, shapes and constants do not go together.
    """
    scope.builtins.layer = kernel.name
    if kernel.control_flow is not None:
        write_control_flow(kernel, scope, write_kernel)
        return True
    if has_own_form(kernel, is_tflite=scope.is_tflite):
        found = direct_of(operator_of(kernel))
        assert found is not None
        found(DirectNode(kernel, scope))
        return True
    _write_lowered(kernel, scope)
    return False


def has_own_form(kernel: Kernel, *, is_tflite: bool = False) -> bool:
    """Whether a kernel is written as builtin operators of its own kind."""
    if kernel.control_flow is not None:
        return True
    found = direct_of(operator_of(kernel))
    if found is None:
        return False
    try:
        check_sizes(kernel)
        found(DirectNode(kernel, scratch(kernel, is_tflite)))
    except (NotLowered, DoesNotFit):
        return False
    return True


def check_sizes(kernel: Kernel) -> None:
    """Rejects tensors without elements, which LiteRT does not run.

    Raises:
        NotLowered: a tensor that is no constant has none.
    """
    check_tensors(kernel)
    for tensor in (*(each for each in kernel.inputs if not each.is_const), *kernel.outputs):
        if 0 in tensor.shape:
            found = f"'{tensor.name}' has {tensor.shape}"
            raise NotLowered(RejectCode.SHAPE, "TensorFlow Lite's tensors must have elements", found)


def _write_lowered(kernel: Kernel, scope: RunScope) -> None:
    """Writes a kernel by its lowering; halves are computed in float32."""
    check_sizes(kernel)
    lowering = Lowering(TfliteEmitter(scope.builtins))
    wide: dict[Tensor, Tensor] = {}
    for tensor in dict.fromkeys(kernel.inputs):
        given = wide[tensor] = _widened(tensor)
        if not tensor.is_const:
            shape, dtype = tuple(tensor.shape), to_numpy(given.dtype)
            term = Term(scope.builtins.cast(scope.value(tensor), dtype.name), dtype, shape)
            lowering.define(given, Lowered(shape, dtype, identity(len(shape)), term))
    outputs = [_widened(tensor) for tensor in kernel.outputs]
    operands = [None if tensor is None else wide[tensor] for tensor in kernel.operands]
    form = RealForm(kernel.name, kernel.type, operands, outputs, kernel.primitive)
    form.quant_type = kernel.quant_type
    lower(form, lowering)
    for tensor, given in zip(kernel.outputs, outputs, strict=True):
        term = lowering.in_order(lowering.value(given))
        known = term.constant if term.handle is None else None
        made = term.handle if known is None else scope.builtins.constant(known)
        scope.define(tensor, scope.builtins.cast(made, to_numpy(tensor.dtype).name))


def _widened(tensor: Tensor) -> Tensor:
    """A tensor of float32 for one of halves; others are as they were."""
    if tensor.dtype != DataType.FLOAT16:
        return tensor
    array = tensor.data.astype("float32") if tensor.is_const else None
    return Tensor.describe(
        tensor.name, DataType.FLOAT32, tensor.extents, tensor.format, data=array, is_const=tensor.is_const
    )
