"""Loops and choices: ONNX's Loop and If, whose operands are followed by the outside tensors of their graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....delegate import Body, Branches, Kernel, RejectCode, Rounds
from ....ir import to_numpy
from ....semantics.quantization import is_dynamic, is_quantized
from ....tensors.tensor import Tensor
from ..emitter import Emitter, Spec
from ..inner import Inner
from ..lowering import Lowering, constant_value, wanted
from ..term import Lowered, Term
from .results import as_model

LowerOne = Callable[[Kernel, Lowering], None]
BOOL, NUMBER = np.dtype(np.bool_), np.dtype(np.int64)


def lower_control_flow(kernel: Kernel, lowering: Lowering, lower: LowerOne) -> list[Lowered]:
    """A loop or a choice as one operator.

    Args:
        kernel: has it.
        lowering: of the graph around it.
        lower: lowers the kernels in it, with all checks.

    Raises:
        NotLowered: the backend cannot do it; the reason names the kernel that it cannot do.
    """
    flow = kernel.control_flow
    assert isinstance(flow, Branches | Rounds)
    rule = "loops and choices must compute with real numbers"
    for each in (each for body in flow.bodies for each in body.kernels):
        wanted(not is_quantized(each) and not is_dynamic(each), RejectCode.ATTRIBUTE, rule, f"'{each.name}' does not")
    given = [lowering.in_order(lowering.value(tensor)) for tensor in kernel.inputs]
    if isinstance(flow, Branches):
        return _choice(kernel, flow, given, lowering, lower)
    return _loop(flow, given, lowering, lower)


def _choice(
    kernel: Kernel, flow: Branches, given: Sequence[Term], lowering: Lowering, lower: LowerOne
) -> list[Lowered]:
    def inner(body: Body) -> Inner:
        def write(emitter: Emitter, _: Sequence[Term], operands: Sequence[Term | None]) -> list[Term]:
            return _lowered(Lowering(emitter), body, _there(operands)[1:], lower)

        return Inner((), write)

    results = [_spec(tensor) for tensor in kernel.outputs]
    graphs = {"then_branch": inner(flow.if_true), "else_branch": inner(flow.if_false)}
    made = lowering.emit_several("If", [_scalar(lowering, given[0]), *given[1:]], results, **graphs)
    return [as_model(term) for term in made]


def _loop(flow: Rounds, given: Sequence[Term], lowering: Lowering, lower: LowerOne) -> list[Lowered]:
    before, after = flow.body.inputs, flow.body.outputs
    size, asks = len(before), flow.count is None
    wanted(flow.count != 0, RejectCode.SHAPE, "there must be rounds")
    rule = "how many rounds there are must be known, as results of each are kept"
    wanted(not asks or len(after) == size or lowering.takes_unknown, RejectCode.SHAPE, rule)
    live, counters = _live(flow), _counters(flow, given)
    moving = [place for place in range(size) if after[place] is not before[place]]
    carried = [place for place in moving if place in live and place not in counters]
    body = _needed(flow.body, [after[place] for place in carried] + list(after[size:]))
    for place in carried:
        same = tuple(before[place].shape) == tuple(after[place].shape) == given[place].shape
        rule = "values carried from round to round must keep their shapes"
        wanted(same, RejectCode.SHAPE, rule, f"'{before[place].name}' has {after[place].shape} behind a round")

    def state(terms: Sequence[Term], operands: Sequence[Term]) -> list[Term]:
        """The state of a loop in its graph: carried terms inside the graph, all other terms as outside."""
        found = list(operands[len(operands) - size :])
        for place, term in zip(carried, terms, strict=True):
            found[place] = term
        return found

    def write(emitter: Emitter, terms: Sequence[Term], operands: Sequence[Term | None]) -> list[Term]:
        own, outside = Lowering(emitter), _there(operands)
        now = state(terms[2:], outside)
        for place in counters:
            now[place] = terms[0]
        results = _lowered(own, body, now, lower)
        following, items = results[: len(carried)], results[len(carried) :]
        if not asks:
            return [terms[1], *following, *items]
        (go_on,) = _lowered(own, flow.condition, state(following, outside), lower)
        return [_scalar(own, go_on), *following, *items]

    if asks:
        (first,) = _lowered(lowering, flow.condition, given, lower)
        head = [None, _scalar(lowering, first)]
    else:
        head = [lowering.scalar(flow.count or 0, NUMBER), None]
    specs = [(given[place].dtype, given[place].shape) for place in carried]
    inner = Inner([(NUMBER, ()), (BOOL, ()), *specs], write)
    stacked = [_spec(tensor) for tensor in flow.end.inputs[size:]]
    operands = [*head, *(given[place] for place in carried), *given]
    made = lowering.emit_several("Loop", operands, [*specs, *stacked], body=inner)
    last = list(given)
    for place, term in zip(carried, made, strict=False):
        last[place] = term
    ends = _lowered(lowering, flow.end, [*last, *made[len(carried) :]], lower)
    return [as_model(term) for term in ends]


def _counters(flow: Rounds, given: Sequence[Term]) -> set[int]:
    """The parts of the state that are the number of the round, as the operator counts them itself."""
    if flow.count is None:
        return set()
    makers = {kernel.outputs[0]: kernel for kernel in flow.body.kernels}
    pairs = enumerate(zip(flow.body.inputs, flow.body.outputs, given, strict=False))
    found = {place for place, (x, y, first) in pairs if _counts(makers.get(y), x, first)}
    return found - _reads(flow.end, flow.end.outputs)


def _counts(kernel: Kernel | None, number: Tensor, first: Term) -> bool:
    if kernel is None or kernel.type != "AddFusion" or kernel.primitive is None or kernel.primitive.given():
        return False
    x, one = kernel.inputs
    starts = first.dtype == NUMBER and first.shape == () and first.constant is not None and first.constant.item() == 0
    return starts and x is number and one.is_const and one.data.size == 1 and one.data.item() == 1


def _live(flow: Rounds) -> set[int]:
    """The parts of the state that anything comes of; where rounds are counted, a counter alone is none."""
    before, after = flow.body.inputs, flow.body.outputs
    size = len(before)
    read = _reads(flow.end, flow.end.outputs) | _reads(flow.body, after[size:])
    if flow.count is None:
        read |= _reads(flow.condition, flow.condition.outputs)
    while True:
        more = read | _reads(flow.body, [after[place] for place in read if place < size])
        if more == read:
            return read
        read = more


def _reads(body: Body, outputs: Sequence[Tensor]) -> set[int]:
    """The positions of the inputs that outputs depend on."""
    tensors = {*outputs, *(tensor for kernel in _needed(body, outputs).kernels for tensor in kernel.inputs)}
    return {place for place, tensor in enumerate(body.inputs) if tensor in tensors}


def _needed(body: Body, outputs: Sequence[Tensor]) -> Body:
    """A body that gives some outputs only."""
    read, kernels = {*outputs}, []
    for kernel in reversed(body.kernels):
        if any(tensor in read for tensor in kernel.outputs):
            kernels.append(kernel)
            read.update(kernel.inputs)
    return Body(body.inputs, tuple(kernels[::-1]), tuple(outputs))


def _lowered(lowering: Lowering, body: Body, given: Sequence[Term], lower: LowerOne) -> list[Term]:
    """The results of a body's kernels for given terms, in the order of the model's axes."""
    for tensor, term in zip(body.inputs, given, strict=True):
        lowering.define(tensor, as_model(term) if term.constant is None else constant_value(term.constant))
    for kernel in body.kernels:
        lower(kernel, lowering)
    return [lowering.in_order(lowering.value(tensor)) for tensor in body.outputs]


def _there(operands: Sequence[Term | None]) -> list[Term]:
    return [term for term in operands if term is not None]


def _scalar(lowering: Lowering, term: Term) -> Term:
    return term if term.shape == () else lowering.emit("Reshape", [term, lowering.ints(())], BOOL, ())


def _spec(tensor: Tensor) -> Spec:
    return to_numpy(tensor.dtype), tuple(tensor.shape)
