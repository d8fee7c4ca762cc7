"""The record of a reference kernel: a run function and a shape inference function for one operator type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import CO_VARKEYWORDS, unwrap
from typing import Any, TypeAlias

import numpy as np

from ._line import line

Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]

UNKNOWN = -1
"""The size of a dimension that is not known before the model runs."""


class KernelInputError(ValueError):
    """Inputs or attributes that the operator's definition does not allow.

    The message starts at what is wrong ("weight must be 4-D, got shape (16, 27)"); whoever runs the
    kernel puts the node's name before it.
    """


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """Everything known of an array before the model runs.

    Attributes:
        dtype: the numpy dtype.
        shape: the dimensions, ``UNKNOWN`` (-1) where one is not known; None when not even the rank is.
        value: the contents, where they are constant (weights, axes, shapes worked out from shapes).
    """

    dtype: np.dtype[Any]
    shape: Shape | None
    value: Array | None = None

    def __repr__(self) -> str:
        return line(self, "dtype", "shape", "value")

    @property
    def dtype_name(self) -> str:
        """The dtype's name."""
        return _name_of(self.dtype)

    @property
    def known(self) -> bool:
        """True when every dimension is known."""
        return self.shape is not None and UNKNOWN not in self.shape

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None when it is not known."""
        return None if self.shape is None else len(self.shape)


@cache
def _name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype, which numpy puts together each time that it is asked for it: 2 us, thousands of times."""
    return dtype.name


def spec_of(array: Array) -> ArraySpec:
    """The spec of a constant: its dtype, its shape and its value."""
    return ArraySpec(array.dtype, array.shape, array)


def as_tuple(result: Any) -> tuple[Any, ...]:
    """The results of a kernel as a tuple of outputs also where it is only one."""
    return result if isinstance(result, tuple) else (result,)


RunFunction: TypeAlias = Callable[..., "Array | tuple[Array, ...]"]
InferFunction: TypeAlias = Callable[..., "ArraySpec | tuple[ArraySpec, ...]"]


@dataclass(frozen=True)
class ReferenceKernel:
    """The numpy meaning of one operator.

    Attributes:
        op_type: the schema's name of the operator (``"Conv2DFusion"``).
        run: arrays in the schema's input order (None for an absent optional input), attributes as keywords
            under their schema names, enum values as their schema names (``pad_mode="SAME"``); returns the
            output array, or a tuple of them. Inputs are never written to. An output may be a view of an input.
            Its signature is the one place that states the attributes and their defaults.
        output_specs: takes ``ArraySpec`` in place of arrays, and those attributes that the outputs' specs depend on,
            without defaults; returns the specs of the outputs. ``infer`` calls it.
        dtypes: names of the input-0 dtypes that the kernel accepts (``"float32"``, ``"bool"``, ...).
        needs_output_count: whether ``run`` and ``output_specs`` take the keyword ``output_count``, the number of
            outputs that the node has, beside the attributes.
        needs_quantization: whether ``run`` and ``output_specs`` take the keyword ``quantization``, a
            ``NodeQuantization``, beside the attributes.
    """

    op_type: str
    run: RunFunction
    output_specs: InferFunction
    dtypes: tuple[str, ...]
    needs_output_count: bool = False
    needs_quantization: bool = False

    def __repr__(self) -> str:
        return line(self, "op_type", "dtypes")

    def infer(self, *specs: ArraySpec | None, **attributes: Any) -> Any:
        """The specs of the outputs: one, or a tuple of them.

        Args:
            specs: of the inputs, as ``run`` takes arrays.
            attributes: as ``run`` takes them, with the same defaults.

        Raises:
            KernelInputError: inputs or attributes do not fit.
            TypeError: an attribute that ``run`` does not have, or a number of inputs that it does not take.
        """
        taken, read = self._keywords
        strange = [] if taken.others else attributes.keys() - taken.names
        if strange:
            raise TypeError(f"{self.op_type} has no attribute {', '.join(sorted(strange))}.")
        given = taken.defaults | attributes
        more = attributes.keys() - taken.names if read.others else ()
        return self.output_specs(*specs, **{name: given[name] for name in read.names.union(more) if name in given})

    @cached_property
    def _keywords(self) -> tuple[_Keywords, _Keywords]:
        return _keywords_of(self.run), _keywords_of(self.output_specs)


@dataclass(frozen=True, slots=True)
class _Keywords:
    """The keywords of a function.

    Attributes:
        names: of all that it states.
        defaults: by name, where there is one.
        others: whether it takes any other keyword, too.
    """

    names: frozenset[str]
    defaults: dict[str, Any]
    others: bool


def _keywords_of(function: Callable[..., Any]) -> _Keywords:
    plain: Any = unwrap(function)
    if not hasattr(plain, "__code__"):  # a partial, or an object that can be called: who calls it says what fits
        return _Keywords(frozenset(), {}, others=True)
    code, defaults = plain.__code__, plain.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return _Keywords(frozenset(names), defaults, bool(code.co_flags & CO_VARKEYWORDS))


class KernelRegistry:
    """A set of reference kernels that can be looked up by operator type.

    Args:
        kernels: of nodes that mean their numbers as they are.
        quantized: of nodes that run on integers standing for real numbers.
    """

    def __init__(self, kernels: Sequence[ReferenceKernel] = (), quantized: Sequence[ReferenceKernel] = ()) -> None:
        self._kernels: dict[str, ReferenceKernel] = {}
        self._quantized: dict[str, ReferenceKernel] = {}
        self.register(*kernels)
        self.register(*quantized, quantized=True)

    def __repr__(self) -> str:
        return line(self, "_kernels", "_quantized")

    def register(self, *kernels: ReferenceKernel, quantized: bool = False) -> None:
        """Adds kernels.

        Raises:
            ValueError: an operator type that is registered already.
        """
        table = self._quantized if quantized else self._kernels
        for kernel in kernels:
            if kernel.op_type in table:
                raise ValueError(f"A reference kernel for '{kernel.op_type}' is registered already.")
            table[kernel.op_type] = kernel

    def find(self, op_type: str, quantized: bool = False) -> ReferenceKernel | None:
        """The kernel of an operator type, or None.

        A kernel that knows quantization itself is also the quantized one.
        """
        plain = self._kernels.get(op_type)
        if not quantized or (plain is not None and plain.needs_quantization):
            return plain
        return self._quantized.get(op_type)

    def op_types(self) -> tuple[str, ...]:
        """All registered operator types, sorted."""
        return tuple(sorted(self._kernels))
