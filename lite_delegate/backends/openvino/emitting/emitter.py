"""The emitter of OpenVINO models: ONNX's operators as nodes of OpenVINO's opset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....tensors.tensor import Array
from ...lowering import Attributes, Dtype, Shape, Spec, Term, as_open
from ...lowering.inner import WITH_GRAPHS
from ..around import write_around
from ..models.checks import Checks
from ..models.exactness import are_exact_anywhere
from ..models.shared import sharable
from ..models.written import Arithmetic, WrittenModel
from ..operators import OperatorCall, check, operators
from .control_flow import write_with_graphs
from .factors import Factors
from .guard import Guard
from .unsigned import Twins

QUANTIZED = frozenset({"QuantizeLinear", "DequantizeLinear"})
INLINE_BYTES = 1024
"""Smaller constants are copied: OpenVINO folds them into other constants."""


class OpenVINOEmitter:
    """Writes one OpenVINO model.

    Args:
        is_exact: whether the device's products of 8-bit integers are exact; asked where that counts.

    Attributes:
        kept: arrays whose memory the model uses.
        guard: of places and lengths.
    """

    takes_unknown = False

    def __init__(self, is_exact: Callable[[], bool] = bool) -> None:
        self.layer = ""
        self._is_exact = is_exact
        self.kept: list[Array] = []
        self._parameters: list[Any] = []
        self._is_quantized = False
        self._stay_integer: set[bool] = set()  # whether weights do
        self.guard = Guard()
        self._twins = Twins(self._node, self.constant)
        self._factors = Factors(self.constant)
        self._fixed: dict[int, Any] = {}  # handles of what depends on no input, by their ids

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Checks that OpenVINO has the operator for these element types. The package need not be there.

        Raises:
            NotLowered: it does not.
        """
        if op not in WITH_GRAPHS:
            check(op, operands, results, attributes)

    def input(self, name: str, dtype: Dtype, shape: Shape) -> Any:
        """The output of a new parameter."""
        from openvino import Type, opset16

        parameter = opset16.parameter([as_open(dim) for dim in shape], Type(dtype))
        parameter.friendly_name = f"{name}/{len(self._parameters)}"
        self._parameters.append(parameter)
        handle = parameter.output(0)
        self.guard.see_input(handle, len(self._parameters) - 1)
        return handle

    def constant(self, array: Array) -> Any:
        """The output of a new constant; a large one shares the array's memory."""
        from openvino.op import Constant

        given = sharable(array)
        if given.nbytes < INLINE_BYTES:
            handle = Constant(given).output(0)
        else:
            self.kept.append(given)
            handle = Constant(given, shared_memory=True).output(0)
        self._fixed[id(handle)] = handle
        return handle

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[Any]:
        """The outputs of an operator's nodes; the last node has the layer's name."""
        operands = self._factors.apart(op, self._twins.instead(op, operands), attributes)
        outputs = self._node(op, operands, results, attributes)
        self._twins.see(op, operands, results, attributes, outputs)
        return outputs

    def _node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[Any]:
        known = [term is None or id(term.handle) in self._fixed for term in operands]
        fixed = frozenset(position for position, is_known in enumerate(known) if is_known)
        if op in WITH_GRAPHS:
            outputs = write_with_graphs(self, self.guard, op, operands, attributes)
        else:
            self._is_quantized = self._is_quantized or op in QUANTIZED
            guarded = self.guard.guarded(op, operands, attributes, self.layer)
            call = OperatorCall(self.constant, guarded, results, attributes, self._stays_integer, fixed)
            outputs = operators()[op].write(call)
            self.guard.see_results(call, op, outputs)
        if all(known):
            self._fixed.update((id(output), output) for output in outputs)
        if self.layer:
            outputs[0].get_node().friendly_name = self.layer
        return outputs

    def _stays_integer(self, weights: Array) -> bool:
        stays = are_exact_anywhere(weights) or self._is_exact()
        self._stay_integer.add(stays)
        return stays

    def finish(self, name: str, outputs: Sequence[Term]) -> WrittenModel:
        """The model of these outputs; outputs that are inputs or constants are left out of it."""
        from openvino import Model, opset16

        inputs = {parameter.friendly_name: number for number, parameter in enumerate(self._parameters)}
        direct: list[tuple[int, int | Array]] = []
        computed: list[Term] = []
        for place, term in enumerate(outputs):
            node = term.handle.get_node()
            if term.constant is not None:
                direct.append((place, term.constant))
            elif node.get_type_name() == "Parameter":
                direct.append((place, inputs[node.friendly_name]))
            else:
                computed.append(term)
        checks, flags = self.guard.finish() if computed else (Checks(), None)
        handles = [term.handle for term in computed] + ([] if flags is None else [flags])
        results = [opset16.result(handle) for handle in handles]
        model = Model(results, self._parameters, name) if results else None
        if model is not None:
            write_around(model)
        fixed = frozenset(place for place, term in enumerate(computed) if id(term.handle) in self._fixed)
        specs = [(term.dtype, term.shape) for term in computed]
        return WrittenModel(model, specs, direct, self.kept, fixed, self._arithmetic, checks)

    @property
    def _arithmetic(self) -> Arithmetic:
        if not self._is_quantized:
            return Arithmetic.REAL
        return Arithmetic.INTEGER if self._stay_integer == {True} else Arithmetic.ROUNDED
