"""Builtins: TensorFlow Lite's builtin operators on tensors of a subgraph that is being written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...delegate import RejectCode
from ...formats.tflite.export import GraphWriter, Quantization, TfliteTensor, tensor_type_of
from ...ir import from_numpy
from ...tensors.tensor import Array
from ..lowering import NotLowered
from .types import QUANTIZED, data_place, stand_in

INT32 = "int32"
_SMALL_BYTES = 1024


class Builtins:
    """Writes builtin operators into a subgraph. Numbers of types that a kernel lacks are cast to a wider type.

    Args:
        graph: to write to.

    Attributes:
        layer: the kernel that is being written, for names of tensors.
    """

    def __init__(self, graph: GraphWriter) -> None:
        self.graph = graph
        self.layer = ""
        self._small: dict[tuple[str, tuple[int, ...], bytes], TfliteTensor] = {}

    def tensor(
        self, dtype: str, shape: Sequence[int], quantization: Quantization | None = None, name: str = ""
    ) -> TfliteTensor:
        """A new tensor that an operator is to give."""
        if tensor_type_of(dtype) is None:
            raise NotLowered(RejectCode.DTYPE, "tensors must be of the format's element types", f"is {dtype}")
        return self.graph.tensor(name or f"{self.layer}/value", dtype, shape, quantization)

    def constant(self, array: Array, quantization: Quantization | None = None, name: str = "") -> TfliteTensor:
        """A constant; small ones that are equal are one tensor."""
        key = (array.dtype.name, array.shape, array.tobytes()) if array.nbytes <= _SMALL_BYTES and not name else None
        if key is not None and quantization is None and key in self._small:
            return self._small[key]
        if tensor_type_of(array.dtype.name) is None:
            raise NotLowered(RejectCode.DTYPE, "constants must be of the format's element types", f"is {array.dtype}")
        made = self.graph.tensor(name or "constant", array.dtype.name, array.shape, quantization, array)
        if key is not None and quantization is None:
            self._small[key] = made
        return made

    def ints(self, values: Sequence[int]) -> TfliteTensor:
        """A constant of int32 (n,)."""
        return self.constant(np.array(values, np.int32))

    def number(self, value: float, dtype: str) -> TfliteTensor:
        """A constant without dimensions."""
        return self.constant(np.array(value, dtype))

    def op(
        self,
        kind: str,
        inputs: Sequence[TfliteTensor | None],
        shape: Sequence[int],
        dtype: str | None = None,
        table: str = "",
        **options: Any,
    ) -> TfliteTensor:
        """The only result of an operator on plain numbers.

        Args:
            kind: the builtin operator.
            inputs: its operands.
            shape: of the result.
            dtype: of the result; None: of the data.
            table: of options.
            options: the fields of the table.

        Raises:
            NotLowered: no kernel takes the element type.
        """
        (made,) = self.ops(kind, inputs, [(dtype, shape)], table, **options)
        return made

    def ops(
        self,
        kind: str,
        inputs: Sequence[TfliteTensor | None],
        results: Sequence[tuple[str | None, Sequence[int]]],
        table: str = "",
        **options: Any,
    ) -> list[TfliteTensor]:
        """The results of an operator on plain numbers; see ``op``."""
        data = inputs[data_place(kind)]
        assert data is not None
        wide = stand_in(kind, data.dtype)
        if wide is None:
            raise NotLowered(
                RejectCode.DTYPE,
                f"TensorFlow Lite's {kind} must take the element type",
                f"takes no {data.dtype}",
                from_numpy(data.numpy),
            )
        operands = [x if x is None or x.dtype != data.dtype else self.cast(x, wide) for x in inputs]
        made = [self.tensor(wide if dtype in (None, data.dtype) else dtype or "", shape) for dtype, shape in results]
        self.graph.operator(kind, operands, made, table, options)
        return [
            self.cast(y, data.dtype if dtype is None else dtype) for y, (dtype, _) in zip(made, results, strict=True)
        ]

    def place(
        self, kind: str, inputs: Sequence[TfliteTensor], shape: Sequence[int], table: str, **options: Any
    ) -> TfliteTensor:
        """Places of int32, of data that may be integers with a meaning."""
        if stand_in(kind, inputs[0].dtype) != inputs[0].dtype:
            return self.op(kind, inputs, shape, INT32, table, **options)
        made = self.tensor(INT32, shape)
        self.graph.operator(kind, inputs, [made], table, options)
        return made

    def into(
        self,
        kind: str,
        inputs: Sequence[TfliteTensor | None],
        outputs: Sequence[TfliteTensor],
        table: str = "",
        **options: Any,
    ) -> None:
        """An operator that gives tensors which are there already, of types that its kernel takes.

        Raises:
            NotLowered: the kernel does not.
        """
        data = inputs[data_place(kind)]
        assert data is not None
        taken = (
            QUANTIZED.get(kind, frozenset())
            if data.quantization is not None
            else frozenset({stand_in(kind, data.dtype)})
        )
        if data.dtype not in taken:
            what = "quantized " if data.quantization is not None else ""
            raise NotLowered(
                RejectCode.DTYPE, f"TensorFlow Lite's {kind} must take the element type", f"takes no {what}{data.dtype}"
            )
        self.graph.operator(kind, inputs, outputs, table, options)

    def cast(self, x: TfliteTensor, dtype: str) -> TfliteTensor:
        """Numbers of another type; a constant is cast now."""
        if x.dtype == dtype:
            return x
        if x.data is not None and x.data.nbytes <= _SMALL_BYTES:
            with np.errstate(over="ignore", invalid="ignore"):
                return self.constant(x.data.astype(dtype))
        types = {"in_data_type": tensor_type_of(x.dtype), "out_data_type": tensor_type_of(dtype)}
        made = self.tensor(dtype, x.shape)
        if stand_in("CAST", x.dtype) != x.dtype or stand_in("CAST", dtype) != dtype:
            raise NotLowered(
                RejectCode.DTYPE, "TensorFlow Lite's CAST must take the element types", f"casts no {x.dtype} to {dtype}"
            )
        self.graph.operator("CAST", [x], [made], "CastOptions", types)
        return made

    def reshape(self, x: TfliteTensor, shape: Sequence[int]) -> TfliteTensor:
        """The same elements in another shape."""
        return x if x.shape == tuple(shape) else self.copied(x, self.tensor(x.dtype, shape, x.quantization))

    def copied(self, x: TfliteTensor, y: TfliteTensor) -> TfliteTensor:
        """The elements of ``x`` in ``y``, which may have another shape, and other quantization parameters."""
        if sum(dim < 0 for dim in y.shape) > 1:
            raise NotLowered(RejectCode.SHAPE, "LiteRT works out one dimension of a constant shape", f"is {y.shape}")
        if y.shape:
            options = {"new_shape": np.array(y.shape, np.int32)}
            self.graph.operator("RESHAPE", [x, self.ints(y.shape)], [y], "ReshapeOptions", options)
        elif x.shape:
            dims = np.arange(x.rank, dtype=np.int32)
            self.graph.operator("SQUEEZE", [x], [y], "SqueezeOptions", {"squeeze_dims": dims})
        else:
            wide = self.reshape(x, (1,))
            return self.copied(wide, y)
        return y

    def transpose(self, x: TfliteTensor, order: Sequence[int]) -> TfliteTensor:
        """Axis i of the result is axis ``order[i]``; a constant is laid out anew when the file is written."""
        if list(order) == list(range(x.rank)):
            return x
        shape = tuple(x.shape[axis] for axis in order)
        if x.data is not None:
            return self.graph.tensor(x.name, x.dtype, shape, x.quantization, x.data.transpose(order))
        made = self.tensor(x.dtype, shape, x.quantization)
        check_rank(x, 6)
        self.graph.operator("TRANSPOSE", [x, self.ints(order)], [made], "TransposeOptions")
        return made


def check_rank(x: TfliteTensor, most: int) -> None:
    """Rejects a tensor of more dimensions than a kernel takes.

    Raises:
        NotLowered: it has more.
    """
    if x.rank > most:
        raise NotLowered(RejectCode.RANK, f"tensors of at most {counted(most, 'dimension')}", f"has {x.rank}")
