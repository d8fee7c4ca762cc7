"""The emitter of TensorFlow Lite: lowered operators as builtin operators of a subgraph."""

from __future__ import annotations

from collections.abc import Sequence

from ....delegate import RejectCode
from ....formats.tflite.export import GraphWriter, TfliteTensor
from ....ir import from_numpy
from ....tensors.tensor import Array
from ...lowering import Attributes, Dtype, NotLowered, Shape, Spec, Term
from ..builtins import Builtins
from .call import LoweredCall
from .table import operators


class TfliteEmitter:
    """Writes lowered operators into a subgraph.

    Args:
        builtins: the writer of the subgraph.
    """

    takes_unknown = False

    def __init__(self, builtins: Builtins) -> None:
        self._builtins = builtins
        self._constants: dict[int, tuple[Array, TfliteTensor]] = {}
        self.layer = ""

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Checks an operator by writing it to a subgraph that is thrown away.

        Raises:
            NotLowered: TensorFlow Lite has no operators for it.
        """
        builtins = Builtins(GraphWriter("check"))
        _write(op, LoweredCall(builtins, [_stand_in(builtins, term) for term in operands], results, attributes))

    def input(self, name: str, dtype: Dtype, shape: Shape) -> TfliteTensor:
        """A tensor of its own; the caller gives it its contents."""
        return self._builtins.tensor(dtype.name, shape, name=name)

    def constant(self, array: Array) -> TfliteTensor | None:
        """None: a constant is added where an operator reads it."""
        return None

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[TfliteTensor]:
        """The tensors of an operator's results."""
        return _write(op, LoweredCall(self._builtins, operands, results, attributes))


def _write(op: str, call: LoweredCall) -> list[TfliteTensor]:
    found = operators().get(op)
    if found is None:
        raise NotLowered(RejectCode.OPERATOR, f"TensorFlow Lite has no operators for {op}")
    for dtype, _ in call.results:
        if dtype.name == "float64":
            rule = "TensorFlow Lite's operators compute in float32"
            raise NotLowered(RejectCode.DTYPE, rule, "is float64", from_numpy(dtype))
    made = found(call)
    for tensor, (dtype, shape) in zip(made, call.results, strict=True):
        if tensor.dtype != dtype.name or tensor.shape != tuple(shape):
            found_one = f"gives {tensor.dtype} {tensor.shape} for {dtype} {shape}"
            raise NotLowered(RejectCode.SHAPE, f"operators for {op} give its results", found_one)
    return made


def _stand_in(builtins: Builtins, term: Term | None) -> Term | None:
    if term is None or term.constant is not None:
        return term
    return Term(builtins.tensor(term.dtype.name, term.shape), term.dtype, term.shape)
