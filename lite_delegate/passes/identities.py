"""IdentityRemovalPass: removes nodes whose result is their input."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from lite_delegate_kernels import UNKNOWN, ArraySpec

from ..ir import Graph, Node, Value, to_numpy
from .framework.base import PassResult
from .framework.draft import Array, Draft
from .framework.graph_pass import GraphPass
from .framework.rewriting import rewrite_drafts
from .framework.specs import Specs, infer_specs


class IdentityRemovalPass(GraphPass):
    """Removes nodes whose result is their input, in dtype, shape and every bit, whatever shapes the inputs have.

    1. Transpose that leaves every axis where it is.
    2. Reshape, Flatten, Squeeze, Unsqueeze, BroadcastTo and TileFusion to the shape that the input has.
    3. Cast to the dtype that the input has.
    4. SliceFusion that begins at 0 and takes everything; StridedSlice, naming its axes, from 0 to the end in ones.
    5. PadFusion without padding.
    6. Dropout whose mask nobody reads.
    7. MulFusion and DivFusion by ones, SubFusion of zeros, AddFusion of zeros of a whole-number type, or of negative
       zeros: -0.0 + 0.0 is 0.0. Only without a fused activation.
    8. Activation NO_ACTIVATION and LINEAR.
    9. Concat, AddN and Split with one input and one output.
    10. A node that gives out an input of the graph, a constant, or another output, stays.

    Quantized nodes stay, and nodes whose input and output have different quantization parameters.

    Args:
        specs: the specs of the values in the shapes of a plan, for a graph that belongs to this plan alone; None: the
            specs that hold for any shapes of the inputs.
    """

    name: ClassVar[str] = "identity-removal"

    def __init__(self, specs: Specs | None = None) -> None:
        self._specs = specs

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph without such nodes; idempotent."""
        return rewrite_drafts(graph, self._without_identities)

    def _without_identities(self, draft: Draft) -> None:
        if self._specs is None:
            _drop_identities(draft, infer_specs(draft.graph, draft.variables, for_any_shape=True))
        else:
            _drop_identities(draft, self._specs)


def _drop_identities(draft: Draft, certain: Specs) -> None:
    for node in draft.nodes():
        current = draft.producer(node.outputs[0]) if node.outputs else None
        if current is None or not draft.is_plain(current):
            continue
        source = _source(current, draft, certain)
        if source is not None and source.quant_params == current.outputs[0].quant_params:
            draft.drop_identity(current, source)


def _source(node: Node, draft: Draft, certain: Specs) -> Value | None:
    """The input that a node gives again; None where it does anything."""
    test = _TESTS.get(node.op_type)
    first = node.inputs[0] if node.inputs else None
    if test is None or first is None or any(draft.readers(v) or draft.is_output(v) for v in node.outputs[1:]):
        return None
    if node.op_type in _ARITHMETIC:
        return _unchanged_operand(node, draft, certain)
    return first if test(node, draft, certain) else None


def _is_same_order(node: Node, draft: Draft, certain: Specs) -> bool:
    perm, spec = draft.constant(node.inputs[1]), _spec(node.inputs[0], certain)
    if perm is None or spec is None or spec.rank is None or perm.size != spec.rank or not perm.size:
        return False
    return [int(a) % spec.rank for a in perm.reshape(-1)] == list(range(spec.rank))


def _is_same_shape(node: Node, draft: Draft, certain: Specs) -> bool:
    """Whether input and output have the same shape. NOTE: a single unknown dimension is the same on both sides when
    all other dimensions are.
    """
    before, after = _spec(node.inputs[0], certain), _spec(node.outputs[0], certain)
    if before is None or after is None or before.shape is None or before.shape != after.shape:
        return False
    limit = 0 if node.op_type in ("TileFusion", "BroadcastTo") else 1
    return (before.shape.count(UNKNOWN) <= limit and 0 not in before.shape) or _copies_all(node, draft)


def _copies_all(node: Node, draft: Draft) -> bool:
    """True for a Reshape that copies every dimension but one at most, which is then the same too."""
    numbers = draft.constant(node.inputs[1]) if node.op_type == "Reshape" else None
    return numbers is not None and not (numbers > 0).any() and int((numbers == -1).sum()) <= 1


def _is_same_dtype(node: Node, draft: Draft, certain: Specs) -> bool:
    before, after = _spec(node.inputs[0], certain), _spec(node.outputs[0], certain)
    return before is not None and after is not None and before.dtype == after.dtype == to_numpy(node.outputs[0].dtype)


def _takes_all(node: Node, draft: Draft, certain: Specs) -> bool:
    begin, size = draft.constant(node.inputs[1]), draft.constant(node.inputs[2])
    return begin is not None and size is not None and not begin.any() and bool((size == -1).all())


def _strides_over_all(node: Node, draft: Draft, certain: Specs) -> bool:
    if len(node.inputs) != 5 or any(node.primitive.attributes().values()):
        return False
    begin, end, _, strides = (draft.constant(v) for v in node.inputs[1:])
    if begin is None or end is None or strides is None:
        return False
    return not begin.any() and bool((end >= np.iinfo(np.int32).max).all()) and bool((strides == 1).all())


def _pads_nothing(node: Node, draft: Draft, certain: Specs) -> bool:
    pads = draft.constant(node.inputs[1])
    return pads is not None and not pads.any()


def _is_no_activation(node: Node, draft: Draft, certain: Specs) -> bool:
    return node.primitive.attributes()["activation_type"] in ("NO_ACTIVATION", "LINEAR")


def _has_one_input(node: Node, draft: Draft, certain: Specs) -> bool:
    return len(node.inputs) == 1


def _has_one_output(node: Node, draft: Draft, certain: Specs) -> bool:
    return len(node.outputs) == 1 and not node.primitive.attributes()["size_splits"] and len(node.inputs) == 1


def _always(node: Node, draft: Draft, certain: Specs) -> bool:
    return True


def _unchanged_operand(node: Node, draft: Draft, certain: Specs) -> Value | None:
    if node.primitive.attributes()["activation_type"] != "NO_ACTIVATION":
        return None
    sides = (0, 1) if node.op_type in ("AddFusion", "MulFusion") else (1,)
    for side in sides:
        operand, number = node.inputs[1 - side], draft.constant(node.inputs[side])
        if operand is not None and number is not None and _is_neutral(node.op_type, number):
            known = _spec(operand, certain)
            if known is not None and known.rank is not None and number.size == 1 and number.ndim <= known.rank:
                return operand
    return None


def _is_neutral(op_type: str, number: Array) -> bool:
    if op_type in ("MulFusion", "DivFusion"):
        return bool((number == 1).all())
    if op_type == "SubFusion" or number.dtype.kind != "f":
        return not number.any() and not np.signbit(number).any() if number.dtype.kind == "f" else not number.any()
    return not number.any() and bool(np.signbit(number).all())


def _spec(value: Value | None, certain: Specs) -> ArraySpec | None:
    return None if value is None else certain.get(value)


_ARITHMETIC = frozenset({"AddFusion", "DivFusion", "MulFusion", "SubFusion"})
_TESTS = {
    **dict.fromkeys(sorted(_ARITHMETIC), _always),
    "Activation": _is_no_activation,
    "AddN": _has_one_input,
    "BroadcastTo": _is_same_shape,
    "Cast": _is_same_dtype,
    "Concat": _has_one_input,
    "Dropout": _always,
    "Flatten": _is_same_shape,
    "PadFusion": _pads_nothing,
    "Reshape": _is_same_shape,
    "SliceFusion": _takes_all,
    "Split": _has_one_output,
    "Squeeze": _is_same_shape,
    "StridedSlice": _strides_over_all,
    "TileFusion": _is_same_shape,
    "Transpose": _is_same_order,
    "Unsqueeze": _is_same_shape,
}
