"""One ONNX node with its arrays, and the call of a reference kernel from it."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, KernelRegistry
from lite_delegate_kernels._kernel import spec_of

REGISTRY = KernelRegistry(ALL_KERNELS)

TYPE_IDS = {
    "bool": 30,
    "int8": 32,
    "int16": 33,
    "int32": 34,
    "int64": 35,
    "uint8": 37,
    "uint16": 38,
    "uint32": 39,
    "uint64": 40,
    "float16": 42,
    "float32": 43,
    "float64": 44,
}
"""The number by which a ``.ms`` file names a type, for every type that kernels compute with."""

Outputs: TypeAlias = "Array | tuple[Array, ...]"


class Why(enum.Enum):
    """Why a case is refused."""

    OPERATOR = "needs an operator that has no counterpart"
    TYPE = "a type that no kernel computes with (bfloat16, float8, 4-bit, string, sequence, optional)"
    DTYPE = "a data type that the kernel does not take"
    ATTRIBUTE = "an attribute value without counterpart"
    OUTPUT = "an output without counterpart"
    RANK = "a rank that the operator does not have"
    SEMANTICS = "defined differently in the .ms format"
    PRECISION = "rounded more coarsely by ONNX than by us, and compared more finely than that"
    TRAINING = "training"


class Refused(Exception):
    """The mapping has no honest way to run the case on our kernels."""

    def __init__(self, why: Why, detail: str) -> None:
        super().__init__(f"{why.value}: {detail}")
        self.why = why
        self.detail = detail


@dataclass
class OnnxNode:
    """A node about to run.

    Attributes:
        op_type: ONNX's name of the operator.
        opset: the version of ONNX's operators that the model asks for.
        inputs: the arrays, None for an optional input that is left out.
        attributes: as Python values, bytes as str.
        outputs: the names of the outputs, empty for one that nobody wants.
        calls: the operator types of the kernels that ran so far.
    """

    op_type: str
    opset: int
    inputs: Sequence[Array | None]
    attributes: Mapping[str, Any]
    outputs: Sequence[str]
    calls: list[str] = field(default_factory=list)

    def x(self, index: int = 0) -> Array:
        """An input that must be there."""
        value = self.inputs[index]
        assert value is not None, f"{self.op_type} lacks input {index}"
        return value

    def optional(self, index: int) -> Array | None:
        """An input that may be left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def given(self) -> list[Array]:
        """All inputs that are there."""
        return [x for x in self.inputs if x is not None]

    def get(self, name: str, default: Any) -> Any:
        """An attribute."""
        return self.attributes.get(name, default)

    def wants(self, index: int) -> bool:
        """Whether somebody reads output ``index``."""
        return index < len(self.outputs) and self.outputs[index] != ""

    def refuse_unless(self, condition: object, why: Why, detail: str) -> None:
        """Raises Refused, naming the operator, unless ``condition`` holds."""
        if not condition:
            raise Refused(why, f"{self.op_type} with {detail}")

    def run(self, op_type: str, *inputs: Array | None, **attributes: Any) -> Array:
        """The one output of a kernel; see ``run_all``."""
        (y,) = self.run_all(op_type, 1, *inputs, **attributes)
        return y

    def run_all(self, op_type: str, outputs: int, *inputs: Array | None, **attributes: Any) -> tuple[Array, ...]:
        """Infers, runs the kernel, and checks that the one foretold the other.

        Raises:
            Refused: the kernel does not take the dtype of its first input.
        """
        kernel = REGISTRY.find(op_type)
        assert kernel is not None, f"no kernel {op_type}"
        if inputs[0] is not None and inputs[0].dtype.name not in kernel.dtypes:
            raise Refused(Why.DTYPE, f"{op_type} of {inputs[0].dtype.name}")
        if kernel.needs_output_count:
            attributes["output_count"] = outputs
        specs = [None if x is None else spec_of(x) for x in inputs]
        foretold = kernel.infer(*specs, **attributes)
        found = kernel.run(*inputs, **attributes)
        ys = found if isinstance(found, tuple) else (found,)
        for y, spec in zip(ys, foretold if isinstance(foretold, tuple) else (foretold,), strict=True):
            _check_foretold(op_type, y, spec)
        self.calls.append(op_type)
        return ys

    def cast(self, x: Array, dtype: str) -> Array:
        """``x`` through our Cast."""
        return self.run("Cast", x, np.array(TYPE_IDS[dtype], np.int32))


def _check_foretold(op_type: str, y: Array, spec: ArraySpec) -> None:
    assert y.dtype == spec.dtype, f"{op_type} inferred {spec.dtype} and gave {y.dtype}"
    if spec.shape is not None:
        agree = len(spec.shape) == y.ndim and all(d in (-1, n) for d, n in zip(spec.shape, y.shape, strict=True))
        assert agree, f"{op_type} inferred {spec.shape} and gave {y.shape}"


def number(value: float, like: Array) -> Array:
    """A constant of rank 0 in the dtype of ``like``."""
    return np.asarray(value, dtype=like.dtype)


def ints(values: Sequence[int]) -> Array:
    """A constant list of integers, as files hold axes, shapes and the like."""
    return np.asarray(values, dtype=np.int32).reshape(-1)
