"""Quantized operators in a row: from real numbers to integers, through several operators on these, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from lite_delegate_kernels import NodeQuantization, Quantization

from lite_delegate.conformance import ConformanceCase, all_cases
from lite_delegate.ir import DataType
from tests.random_models.ms_growing import MsGrowing
from tests.random_models.steps import Array, is_of_use

MOST_OPERATORS = 6
CUT = 0.03
"""The share of a result's elements that may lie at the ends of its integers: of more, nothing can be told."""
KEEPS_PARAMETERS = 0.4
"""How often a result has its operand's parameters, if these do for it: what moves elements takes no rounding then."""
SUMMED = ("Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion", "AddFusion", "MulFusion")
"""Operators with kernels of their own on integers, which are chosen more often; weights have scales per channel."""
SCALES = 2.0 ** np.arange(-12, 8, 0.5)
"""Of results, the smallest first."""


def quantized_chain(g: MsGrowing) -> None:
    """Adds operators on integers, which read a value of real numbers; sometimes real numbers come of them again."""
    source = g.pick(where=lambda known: known.size > 1) or g.input(g.numbers(2, 3, 4))
    name = _converted(g, source, DataType.INT8, _fitting(g, g.arrays[source]))
    for _ in range(g.rng.randint(2, MOST_OPERATORS)):
        name = _operator(g, name) or name if name else name
    if name and g.rng.random() < 0.7:
        _converted(g, name, DataType.FLOAT32, None)


def _converted(g: MsGrowing, name: str, to: DataType, parameters: Quantization | None) -> str:
    """The name of a value in another element type, "" where nothing can be told from it."""
    source = DataType.FLOAT32 if to is DataType.INT8 else DataType.INT8
    known = NodeQuantization((g.parameters.get(name),), (parameters,))
    (made,) = g.node("QuantDTypeCast", [name], 1, {"src_t": int(source), "dst_t": int(to), "axis": 0}, known) or ("",)
    return made


def _fitting(g: MsGrowing, array: Array) -> Quantization:
    """Parameters for real numbers, of which a few may be cut off."""
    largest = max(float(np.abs(array).max()), 1e-3) * g.rng.choice((0.5, 1.0, 1.0, 2.0))
    return _parameters(g, largest / 127)


def _parameters(g: MsGrowing, scale: float) -> Quantization:
    point = g.rng.choice((0, 0, -128, 7, -20, 31))
    return Quantization((float(np.float32(scale * (2 if point == -128 else 1))),), (point,))


def _operator(g: MsGrowing, name: str) -> str:
    """The name of what an operator of a random case gives, "" where its kernel does not take what there is."""
    kinds = SUMMED if g.rng.random() < 0.4 else list(_cases())
    case = g.rng.choice(_cases()[g.rng.choice(kinds)])
    assert case.quantization is not None
    known = [*case.quantization.inputs, *[None] * len(case.inputs)]
    operands: list[str | None] = []
    for place, (array, parameters) in enumerate(zip(case.inputs, known, strict=False)):
        if array is None:
            operands.append(None)
        elif place == 0 or (place not in case.constants and array.dtype == np.int8 and g.rng.random() < 0.5):
            operands.append(_shaped(g, name, array.shape))
        else:
            operands.append(_given(g, array, parameters, place in case.constants))
    given = tuple(None if each is None else g.parameters.get(each) for each in operands)
    for result in _candidates(g, name):
        node = NodeQuantization(given, (result,) * len(case.outputs))
        made = g.node(case.op_type, operands, len(case.outputs), case.attributes, node, _is_told)
        if made:
            return g.rng.choice(made)
    return ""


def _candidates(g: MsGrowing, name: str) -> list[Quantization]:
    """Parameters of a result: the operand's, sometimes; else one scale after the other."""
    same = [g.parameters[name]] if g.rng.random() < KEEPS_PARAMETERS else []
    factor = g.rng.uniform(1, 1.4)
    return [*same, *(_parameters(g, factor * scale) for scale in SCALES)]


def _is_told(array: Array) -> bool:
    """Whether few integers are at the ends of what there is."""
    return array.dtype != np.int8 or float(np.mean((array == -128) | (array == 127))) <= CUT


def _given(g: MsGrowing, array: Array, parameters: Quantization | None, is_constant: bool) -> str:
    """The name of an array of the case."""
    name = g.constant(array) if is_constant or parameters is None else g.input(array)
    if parameters is not None:
        g.parameters[name] = parameters
    return name


def _shaped(g: MsGrowing, name: str, shape: tuple[int, ...]) -> str:
    """A value's integers in another shape, as often as it takes; the value where that is rejected."""
    size, array = math.prod(shape), g.arrays[name]
    moves: list[tuple[str, Sequence[Array]]] = []
    if array.size != size:
        places = (np.arange(size) % array.size).astype(np.int32)
        moves += [("Reshape", [np.array([array.size], np.int32)]), ("Gather", [places, np.array(0, np.int32)])]
    if array.shape != shape:
        moves.append(("Reshape", [np.array(shape, np.int32)]))
    for op, constants in moves:
        same = g.parameters[name]
        known = NodeQuantization((same, *[None] * len(constants)), (same,))
        (name,) = g.node(op, [name, *map(g.constant, constants)], 1, {}, known) or (name,)
    return name


@cache
def _cases() -> Mapping[str, Sequence[ConformanceCase]]:
    """The cases of integers that stand for real numbers, by operator, whose results are such, too."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        if case.quantization is None or case.op_type == "QuantDTypeCast":
            continue
        arrays = [*(x for x in case.inputs if x is not None), *case.outputs]
        if case.inputs[0] is None or not all(is_of_use(array) for array in arrays):
            continue
        if {array.dtype.name for array in (case.inputs[0], *case.outputs)} == {"int8"}:
            found.setdefault(case.op_type, []).append(case)
    return found
