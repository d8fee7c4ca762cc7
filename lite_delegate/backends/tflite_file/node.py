"""DirectNode: a kernel that is being written as builtin operators of its own kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import Kernel, RejectCode
from ...formats.tflite.export import Quantization, TfliteTensor
from ...ir import to_numpy
from ...ir.types.enums import ActivationType
from ...semantics.operands import operand, required
from ...semantics.quantization import ON_INTEGERS, params_of
from ...tensors.tensor import Tensor
from ..lowering import NotLowered
from .builtins import Builtins
from .scope import RunScope, quantization_of
from .types import COARSE, QUANTIZED, data_place, stand_in

FUSED = {ActivationType.NO_ACTIVATION: 0, ActivationType.RELU: 1, ActivationType.RELU6: 3}
"""The schema's numbers of activations that our operators fuse (``ActivationFunctionType``)."""


@dataclass(slots=True, eq=False)
class DirectNode:
    """A kernel and the subgraph that it is written to.

    Attributes:
        kernel: the kernel.
        scope: the subgraph with the tensors of the run.
    """

    kernel: Kernel
    scope: RunScope

    @property
    def builtins(self) -> Builtins:
        """The writer of operators."""
        return self.scope.builtins

    @property
    def is_quantized(self) -> bool:
        """Whether the kernel computes with integers that stand for real numbers."""
        return is_on_integers(self.kernel)

    def attribute(self, name: str) -> Any:
        """An attribute of the kernel's primitive."""
        return getattr(self.kernel.primitive, name)

    def has(self, position: int) -> bool:
        """Whether an operand is there."""
        return operand(self.kernel, position) is not None

    def source(self, position: int = 0) -> Tensor:
        """An operand, as the run has it."""
        return required(self.kernel, position)

    def x(self, position: int = 0) -> TfliteTensor:
        """An operand."""
        return self.scope.value(self.source(position))

    def xs(self) -> list[TfliteTensor]:
        """All operands."""
        return [self.scope.value(tensor) for tensor in self.kernel.inputs]

    def xs_in_order(self) -> list[TfliteTensor | None]:
        """All operands in their places, None where one is absent."""
        return [None if tensor is None else self.scope.value(tensor) for tensor in self.kernel.operands]

    @property
    def y_dtype(self) -> str:
        """The element type of the first result."""
        return to_numpy(self.kernel.outputs[0].dtype).name

    @property
    def y_quantization(self) -> Quantization | None:
        """The meaning of the first result's integers."""
        return quantization_of(self.kernel.outputs[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions of the first result."""
        return tuple(self.kernel.outputs[0].extents or ())

    def y(self, position: int = 0) -> TfliteTensor:
        """A result, for an operator to give."""
        return self.scope.output(self.kernel.outputs[position])

    def give(self, made: TfliteTensor, position: int = 0) -> None:
        """Makes a tensor the result of the kernel."""
        self.scope.define(self.kernel.outputs[position], made)

    def ints(self, position: int, what: str) -> tuple[int, ...]:
        """The elements of an operand that must be constant."""
        tensor = self.source(position)
        self.wanted(tensor.is_const, RejectCode.NOT_CONSTANT, f"{what} must be constant", f"'{tensor.name}' is not")
        return tuple(int(each) for each in tensor.data.reshape(-1))

    def wanted(self, condition: object, code: RejectCode, rule: str, found: str = "") -> None:
        """Leaves the kernel to its other form unless a condition holds.

        Raises:
            NotLowered: it does not.
        """
        if not condition:
            raise NotLowered(code, rule, found)

    def in_files_alone(self, why: str) -> None:
        """Leaves the kernel to the host unless LiteRT may work out dimensions, and hand over text.

        Raises:
            NotLowered: it may not: the file is a run of a delegate.
        """
        op_type = self.kernel.type
        self.wanted(self.scope.purpose.counts, RejectCode.OPERATOR, f"{op_type} {why}, which graph kernels do not")

    def fused(self) -> dict[str, Any]:
        """The option for the kernel's own activation."""
        found = self.attribute("activation_type")
        self.wanted(
            found in FUSED, RejectCode.ATTRIBUTE, "a fused activation must be RELU or RELU6", f"is {found.name}"
        )
        return {"fused_activation_function": FUSED[found]}

    def one_meaning(self) -> None:
        """Leaves a kernel on integers to its other form unless operands and result have the same parameters.

        Raises:
            NotLowered: they have not.
        """
        if self.is_quantized:
            alike = all(same_meaning(x.quantization, self.y_quantization) for x in self.xs())
            self.wanted(alike, RejectCode.DTYPE, "operands and result have the same scale and zero point")

    def one_meaning_of_first(self) -> None:
        """As ``one_meaning``, for kernels whose other operands and results are plain numbers."""
        if self.is_quantized:
            alike = same_meaning(self.x().quantization, self.y_quantization)
            self.wanted(alike, RejectCode.DTYPE, "operand and result have the same scale and zero point")

    def parts(self, kind: str, inputs: Sequence[TfliteTensor | None], table: str = "", **options: Any) -> None:
        """Writes an operator that gives all results of the kernel; the first ones are of the data's type."""
        data, outputs = inputs[data_place(kind)], self.kernel.outputs
        assert data is not None
        results = [(to_numpy(y.dtype).name, tuple(y.shape)) for y in outputs]
        if data.quantization is not None:
            meanings = [
                quantization_of(y) for y, (dtype, _) in zip(outputs, results, strict=True) if dtype == data.dtype
            ]
            alike = not self.is_quantized or all(same_meaning(data.quantization, each) for each in meanings)
            self.wanted(alike, RejectCode.DTYPE, "operand and results have the same scale and zero point")
        if stand_in(kind, data.dtype) == data.dtype:
            made = [self.y(place) for place in range(len(outputs))]
            self.builtins.graph.operator(kind, inputs, made, table, options)
            return
        for place, tensor in enumerate(self.builtins.ops(kind, inputs, results, table, **options)):
            self.give(tensor, place)

    def place(self, dtype: str, kind: str, inputs: Sequence[TfliteTensor | None], table: str, **options: Any) -> None:
        """Writes an operator that gives places of the data, which may be integers with a meaning."""
        x = inputs[data_place(kind)]
        assert x is not None
        if stand_in(kind, x.dtype) == x.dtype:
            self.builtins.graph.operator(kind, inputs, [self.y()], table, options)
        else:
            self.give(self.builtins.op(kind, inputs, self.shape, dtype, table, **options))

    def plain_write(self, kind: str, inputs: Sequence[TfliteTensor | None], table: str = "", **options: Any) -> None:
        """As ``write``, of numbers that stand for themselves."""
        data = inputs[data_place(kind)]
        assert data is not None
        if stand_in(kind, data.dtype) == data.dtype == self.y_dtype:
            self.builtins.graph.operator(kind, inputs, [self.y()], table, options)
        else:
            self.give(self.builtins.op(kind, inputs, self.shape, None, table, **options))

    def zero_of(self, x: TfliteTensor) -> float:
        """The number that stands for 0 in a tensor."""
        return 0.0 if x.quantization is None else float(x.quantization.zero_points[0])

    def padded(self, x: TfliteTensor, pairs: Sequence[tuple[int, int]], filling: float) -> TfliteTensor:
        """A tensor with a border of one number."""
        shape = [before + dim + after for dim, (before, after) in zip(x.shape, pairs, strict=True)]
        widths = self.builtins.constant(np.array(pairs, np.int32))
        if filling == self.zero_of(x):
            return self.computed("PAD", [x, widths], shape, "PadOptions")
        value = self.builtins.constant(np.array(filling, x.dtype), x.quantization)
        return self.computed("PADV2", [x, widths, value], shape, "PadV2Options")

    def computed(
        self, kind: str, inputs: Sequence[TfliteTensor | None], shape: Sequence[int], table: str = "", **options: Any
    ) -> TfliteTensor:
        """A result in between: of the data's meaning, or of the kernel's where weights are multiplied."""
        data = inputs[data_place(kind)]
        assert data is not None
        if data.quantization is None:
            return self.builtins.op(kind, inputs, shape, None, table, **options)
        meaning = self.y_quantization if kind == "TRANSPOSE_CONV" else data.quantization
        made = self.builtins.tensor(data.dtype, shape, meaning)
        self.builtins.into(kind, inputs, [made], table, **options)
        return made

    def reshaped_constant(self, x: TfliteTensor, shape: Sequence[int]) -> TfliteTensor:
        """A tensor in another shape; a constant is a view."""
        if x.data is None:
            return self.builtins.reshape(x, shape)
        return self.builtins.constant(x.data.reshape(shape), x.quantization, x.name)

    def write(
        self,
        kind: str,
        inputs: Sequence[TfliteTensor | None],
        table: str = "",
        dtype: str | None = None,
        **options: Any,
    ) -> None:
        """Writes the builtin operator that gives the kernel's only result.

        Integers stay integers where the kernel computes with them; other element types that LiteRT's kernel lacks are
        cast.

        Raises:
            NotLowered: LiteRT's kernel does not take the types.
        """
        data = inputs[data_place(kind)]
        assert data is not None
        if self.is_quantized:
            self._check_meanings(inputs)
            sound = data.dtype != "int16" or kind not in COARSE or self.scope.purpose.is_tflite
            self.wanted(sound, RejectCode.DTYPE, f"LiteRT computes {kind} of int16 coarsely")
            self.builtins.into(kind, inputs, [self.y()], table, **options)
        elif stand_in(kind, data.dtype) == data.dtype and to_numpy(self.kernel.outputs[0].dtype) == (
            dtype or data.dtype
        ):
            self.builtins.graph.operator(kind, inputs, [self.y()], table, options)
        else:
            made = self.builtins.op(kind, inputs, self.shape, dtype, table, **options)
            self.give(self.builtins.cast(made, to_numpy(self.kernel.outputs[0].dtype).name))

    def _check_meanings(self, inputs: Sequence[TfliteTensor | None]) -> None:
        """Rejects operands of real numbers beside integers, and zero points that integers do not hold."""
        for x in inputs:
            if x is not None and x.dtype in ("int8", "uint8", "int16"):
                self.wanted(x.quantization is not None, RejectCode.DTYPE, "operands of integers have scales")
                assert x.quantization is not None
                limits = np.iinfo(x.dtype)
                held = all(limits.min <= point <= limits.max for point in x.quantization.zero_points)
                self.wanted(held, RejectCode.DTYPE, "zero points are in the range of integers")
            real = x is not None and x.dtype in ("float32", "float16")
            self.wanted(not real, RejectCode.DTYPE, "operands are integers, as the first one")

    def move(self, kind: str, inputs: Sequence[TfliteTensor | None], table: str = "", **options: Any) -> None:
        """Writes an operator that moves elements: integers keep their meaning, or are scaled anew behind it."""
        x, y = inputs[data_place(kind)], self.kernel.outputs[0]
        assert x is not None
        target = quantization_of(y)
        if x.quantization is None or not self.is_quantized or same_meaning(x.quantization, target):
            is_meant = x.quantization is not None and x.dtype in QUANTIZED.get(kind, frozenset())
            if is_meant or stand_in(kind, x.dtype) == x.dtype:
                self.builtins.graph.operator(kind, inputs, [self.y()], table, options)
            else:
                self.give(self.builtins.op(kind, inputs, self.shape, None, table, **options))
            return
        between = self.builtins.tensor(x.dtype, self.shape, x.quantization)
        self.builtins.into(kind, inputs, [between], table, **options)
        self.builtins.graph.operator("QUANTIZE", [between], [self.y()], "QuantizeOptions")


def is_on_integers(kernel: Kernel) -> bool:
    """Whether a kernel computes with integers that stand for real numbers."""
    first = operand(kernel, 0)
    if first is None or kernel.quant_type not in ON_INTEGERS:
        return False
    return first.dtype.name in ("INT8", "UINT8", "INT16") and bool(params_of(first))


def same_meaning(first: Quantization | None, second: Quantization | None) -> bool:
    """Whether integers of two tensors stand for the same real numbers."""
    if first is None or second is None:
        return first is second
    return first.scales == second.scales and first.zero_points == second.zero_points
