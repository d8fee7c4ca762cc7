"""Expected values element by element, in Python's own numbers: what case files of element-wise operators share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...judging.case import Array, ConformanceCase

ScalarFunction = Callable[..., float]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SHAPE_PAIRS = [
    ("rank_0", (), ()),
    ("rank_1", (7,), (7,)),
    ("one_element", (1,), (1,)),
    ("rank_4", (2, 3, 3, 8), (2, 3, 3, 8)),
    ("rank_5", (2, 1, 3, 2, 3), (2, 1, 3, 2, 3)),
    ("channels_17_from_1d", (2, 3, 2, 17), (17,)),
    ("first_is_smaller", (3,), (2, 4, 3)),
    ("scalar_second", (2, 5), ()),
    ("scalar_first", (), (3, 2)),
    ("one_element_of_higher_rank", (4,), (1, 1, 1)),
    ("both_stretch", (3, 1, 4), (2, 1)),
    ("outer", (5, 1), (1, 7)),
    ("empty", (2, 0, 3), (2, 0, 3)),
    ("empty_stretched", (0, 3), (1, 3)),
]


def loop(function: ScalarFunction, *arrays: Array, dtype: str | None = None) -> Array:
    """``function`` of every element after broadcasting; integers wrap around.

    The result has the given dtype, or that of the first array.
    """
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    out = np.empty(shape, dtype=dtype or arrays[0].dtype)
    for index in np.ndindex(shape):
        out[index] = store(function(*(element(a, index) for a in arrays)), out.dtype)
    return out


def element(array: Array, index: tuple[int, ...]) -> Any:
    """The element that broadcasting puts at ``index``, as a Python number."""
    own = index[len(index) - array.ndim :]
    return array[tuple(0 if size == 1 else i for i, size in zip(own, array.shape, strict=True))].item()


def store(value: float, dtype: np.dtype[Any]) -> Any:
    """A Python number as an element of ``dtype``: an integer modulo its width, a float rounded to nearest."""
    if dtype.kind not in "iu":
        with np.errstate(over="ignore"):
            return np.float64(value).astype(dtype)
    width = 8 * dtype.itemsize
    low = -(1 << (width - 1)) if dtype.kind == "i" else 0
    return dtype.type((int(value) - low) % (1 << width) + low)


def fused(value: float, activation_type: str) -> float:
    """``value`` after RELU or RELU6; any other activation counts as none."""
    if activation_type not in ("RELU", "RELU6"):
        return value
    if value < 0:
        return 0
    return 6 if activation_type == "RELU6" and value > 6 else value


def truncated_quotient(a: float, b: float) -> float:
    """``a / b`` of floats, and of integers rounded toward zero."""
    if isinstance(a, float):
        return a / b
    magnitude = abs(a) // abs(b)
    return magnitude if (a < 0) == (b < 0) else -magnitude


def binary_cases(op_type: str, function: ScalarFunction, seed: int) -> Iterator[ConformanceCase]:
    """Two-input cases that are exact: shapes and broadcasting, float and integer dtypes, a constant operand."""
    rng = np.random.default_rng(seed)
    for name, left, right in SHAPE_PAIRS:
        a = np.asarray(rng.normal(size=left), dtype=np.float32)
        b = np.asarray(rng.normal(size=right), dtype=np.float32)
        yield exact_case(name, op_type, (a, b), function)
    for dtype in ("float16", "float64"):
        a, b = rng.normal(size=(2, 3, 5)).astype(dtype)
        yield exact_case(dtype, op_type, (a, b), function)
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, size=(3, 4), dtype=dtype, endpoint=True)
        b = rng.integers(1, 12, size=(4,), dtype=dtype)
        yield exact_case(dtype, op_type, (a, b), function)
    a, b = rng.normal(size=(2, 2, 3)).astype(np.float32)
    yield exact_case("constant_second", op_type, (a, b), function, constants=frozenset({1}))
    yield exact_case("constant_first", op_type, (a, b), function, constants=frozenset({0}))
    yield exact_case("both_constant", op_type, (a, b), function, constants=frozenset({0, 1}))


def fused_cases(op_type: str, function: ScalarFunction, seed: int) -> Iterator[ConformanceCase]:
    """The fused activations on floats, integers and rank 0."""
    rng = np.random.default_rng(seed)
    for activation in ("NO_ACTIVATION", "RELU", "RELU6"):
        for dtype in ("float32", "float16", "int32", "int8"):
            a = (rng.normal(size=(4, 9)) * 6).astype(dtype)
            b = (rng.normal(size=9) * 2).astype(dtype)
            b[b == 0] = 1
            yield _fused_case(f"{activation.lower()}_{dtype}", op_type, (a, b), function, activation)
    for activation in ("RELU", "RELU6"):
        a, b = np.array(-40, dtype=np.float32), np.array(3, dtype=np.float32)
        yield _fused_case(f"{activation.lower()}_rank_0", op_type, (a, b), function, activation)


def _fused_case(
    name: str, op_type: str, inputs: tuple[Array, ...], function: ScalarFunction, activation: str
) -> ConformanceCase:
    attributes = {"activation_type": activation}
    return exact_case(name, op_type, inputs, lambda *v: fused(function(*v), activation), attributes=attributes)


def exact_case(
    name: str,
    op_type: str,
    inputs: tuple[Array, ...],
    function: ScalarFunction,
    *,
    attributes: dict[str, Any] | None = None,
    constants: frozenset[int] = frozenset(),
    dtype: str | None = None,
) -> ConformanceCase:
    """A case whose one output, of the first input's dtype or of the given one, must match bit for bit."""
    outputs = (loop(function, *inputs, dtype=dtype),)
    return ConformanceCase(name, op_type, inputs, outputs, attributes or {}, constants, rtol=0, atol=0)
