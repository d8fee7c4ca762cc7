"""Writing kernels into a subgraph: in a form of their own where there is one, else lowered to elementary operators."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...formats.tflite.export import TfliteWriter, Written
from ...ir import DataType, to_numpy
from ...semantics.fitting import DoesNotFit
from ...semantics.quantization import is_dynamic
from ...tensors.tensor import Tensor
from ..lowering import NotLowered, Term
from ..lowering.left_out import LEFT_OUT
from ..lowering.lowering import Lowering
from ..lowering.quantized import RealForm
from ..lowering.run import check_tensors, lower, operator_of
from ..lowering.table import lowering_of
from ..lowering.term import Lowered, identity
from .emitting.emitter import TfliteEmitter
from .flow import write_control_flow
from .node import DirectNode
from .scope import RUN, Purpose, RunScope
from .table import Direct, direct_of, kept_form_of, open_form_of, takes_any_rank


def claim(kernel: Kernel, purpose: Purpose = RUN) -> SupportResult:
    """The answer to whether a kernel can be written: it is, to a file that is thrown away."""
    try:
        write_kernel(kernel, scratch(kernel, purpose))
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


def scratch(kernel: Kernel, purpose: Purpose = RUN) -> RunScope:
    """A subgraph of its own with the inputs of a kernel."""
    model = TfliteWriter()
    scope = RunScope(model, model.graph("scratch"), purpose)
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
    form = _own_form(kernel, scope.purpose)
    if isinstance(form, NotLowered):
        if _is_left_to_files(kernel, scope.purpose):
            raise form
        _write_lowered(kernel, scope)
        return False
    form(DirectNode(kernel, scope))
    return True


def has_own_form(kernel: Kernel, purpose: Purpose = RUN) -> bool:
    """Whether a kernel is written as builtin operators of its own kind."""
    return kernel.control_flow is not None or not isinstance(_own_form(kernel, purpose), NotLowered)


def _own_form(kernel: Kernel, purpose: Purpose) -> Direct | NotLowered:
    """The function that writes a kernel in a form of its own; the reason where that cannot be."""
    op_type, is_open = operator_of(kernel), purpose.counts and _is_open(kernel)
    usual = open_form_of(op_type) if is_open else direct_of(op_type)
    kept = kept_form_of(kernel, is_tflite=purpose.is_tflite) if purpose.counts else None
    why = NotLowered(RejectCode.OPERATOR, f"{op_type} has no form of its own" + " for open shapes" * is_open)
    for form in (usual, kept):
        try:
            if form is not None:
                check_sizes(kernel, purpose)
                if is_open and form is not kept:
                    _check_ranks(kernel)
                form(DirectNode(kernel, scratch(kernel, purpose)))
                return form
        except NotLowered as e:
            why = e
        except DoesNotFit as e:
            why = NotLowered(RejectCode.ATTRIBUTE, str(e))
    return why


def _check_ranks(kernel: Kernel) -> None:
    """Rejects operands of an unknown number of dimensions where the form looks at it."""
    for tensor in kernel.inputs:
        if tensor.extents is None and tensor.dtype != DataType.STRING and not takes_any_rank(operator_of(kernel)):
            raise NotLowered(RejectCode.SHAPE, "ranks must be known", f"that of '{tensor.name}' is not")


def _is_open(kernel: Kernel) -> bool:
    """Whether a tensor has dimensions that are known when the file runs."""
    return any(not x.has_known_shape and x.dtype != DataType.STRING for x in (*kernel.inputs, *kernel.outputs))


def _is_left_to_files(kernel: Kernel, purpose: Purpose) -> bool:
    """Whether a kernel has no form but its own, in a file that LiteRT counts in."""
    op_type = operator_of(kernel)
    return purpose.counts and (_is_open(kernel) or op_type in LEFT_OUT or lowering_of(op_type) is None)


def check_sizes(kernel: Kernel, purpose: Purpose = RUN) -> None:
    """Rejects tensors without elements, which LiteRT does not run.

    Raises:
        NotLowered: a tensor that is no constant has none, or dimensions are not known and the file is a delegate's run.
    """
    if not purpose.counts:
        check_tensors(kernel)
    elif is_dynamic(kernel):
        raise NotLowered(RejectCode.DTYPE, "quantization parameters must be known before the model runs")
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
