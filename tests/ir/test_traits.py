"""Traits of operators, held against what the reference kernels give for other numbers and other orders of axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array, KernelInputError, as_tuple
from lite_delegate_kernels.all_kernels import ALL_KERNELS
from lite_delegate_kernels.built_in import built_in_kernels

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from lite_delegate.ir.primitives import PRIMITIVE_CLASSES
from lite_delegate.ir.traits import ELEMENTWISE, TRAITS, Effect, ElementPattern, Traits

OPERATORS = sorted(kernel.op_type for kernel in ALL_KERNELS)


@cache
def cases() -> dict[str, list[ConformanceCase]]:
    """Nodes on real numbers by operator, and those of casts to integers with one scale."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        if case.quantization is None or (case.op_type == "QuantDTypeCast" and "channel" not in case.name):
            found.setdefault(case.op_type, []).append(case)
    return found


def having(fact: Callable[[Traits], bool]) -> list[str]:
    """The operators whose row says so, without those that only Custom nodes have."""
    return [name for name in OPERATORS if name in TRAITS and fact(TRAITS[name])]


def run(case: ConformanceCase, inputs: tuple[Array | None, ...], **changed: Any) -> tuple[Array, ...]:
    kernel = built_in_kernels().find(case.op_type)
    assert kernel is not None
    keywords = {**case.attributes, **changed}
    if kernel.needs_output_count:
        keywords["output_count"] = len(case.outputs)
    if kernel.needs_quantization:
        keywords["quantization"] = case.quantization
    with np.errstate(all="ignore"):
        return as_tuple(kernel.run(*inputs, **keywords))


def first(case: ConformanceCase) -> Array:
    x = case.inputs[0]
    assert x is not None
    return x


def same(found: tuple[Array, ...], expected: tuple[Array, ...]) -> bool:
    return len(found) == len(expected) and all(
        a.shape == b.shape
        and (np.array_equal(a, b) if a.dtype.kind in "SUO" else np.allclose(a, b, 1e-5, 1e-6, equal_nan=True))
        for a, b in zip(found, expected, strict=True)
    )


def transposed(x: Array, axes: tuple[int, ...]) -> Array:
    """Operands of fewer axes get leading ones, as they are stretched; single numbers stay as they are."""
    return x if x.size == 1 else np.transpose(x.reshape((1,) * (len(axes) - x.ndim) + x.shape), axes)


def commutes(case: ConformanceCase, *, last_stays: bool = False) -> bool | None:
    """Whether a case's inputs in every other order of axes give the results in that order; None where none is."""
    arrays = [x for x in case.inputs if x is not None]
    rank = max((x.ndim for x in arrays), default=0)
    orders = [o for o in permutations(range(rank)) if not last_stays or o[-1:] == (rank - 1,)][1:]
    if rank > 4 or not orders or not arrays or arrays[0].size < 2:
        return None
    moving, outputs = (case.inputs[:1], 1) if last_stays else (case.inputs, None)
    expected = run(case, case.inputs)[:outputs]
    if any(y.ndim != rank for y in expected):
        return False
    for axes in orders:
        given = tuple(None if x is None else transposed(x, axes) for x in moving) + case.inputs[len(moving) :]
        try:
            found = run(case, given)[:outputs]
        except (ValueError, IndexError, TypeError):
            return False
        if not same(found, tuple(np.transpose(y, axes) for y in expected)):
            return False
    return True


@pytest.mark.parametrize("op_type", OPERATORS)
def test_every_operator_has_a_row(op_type: str) -> None:
    assert op_type in TRAITS, f"{op_type} has no row in ir/traits/table.py"


def test_rows_are_sorted_and_belong_to_operators() -> None:
    plain = [name for name in TRAITS if "." not in name]
    assert plain == sorted(plain)
    assert set(plain) <= set(PRIMITIVE_CLASSES)
    assert all(built_in_kernels().find(name) is not None for name in TRAITS if "." in name)


def is_stretched(case):
    """Whether the inputs of a case have the shape of its result, or are stretched to it."""
    shapes = [x.shape for x in case.inputs if x is not None and x.size != 1]
    try:
        return np.broadcast_shapes(*shapes) == case.outputs[0].shape
    except ValueError:
        return False


@pytest.mark.parametrize("op_type", having(lambda traits: traits.pattern in ELEMENTWISE))
def test_elementwise_operators_commute_with_every_transpose(op_type: str) -> None:
    found = []
    for case in filter(is_stretched, cases()[op_type]):
        if TRAITS[op_type].is_elementwise(len(case.inputs)):
            found.append(commutes(case))
    assert True in found
    assert False not in found


PARAMETERS = having(lambda traits: traits.pattern is ElementPattern.CHANNELS)
OTHERS = having(
    lambda traits: traits.pattern not in (*ELEMENTWISE, ElementPattern.CHANNELS) and traits.effect is Effect.NONE
)


@pytest.mark.parametrize("op_type", OTHERS)
def test_other_operators_do_not(op_type: str) -> None:
    """Without parameters of channels, which kernels stretch as if they were operands."""
    for count in {len(case.inputs) for case in cases()[op_type]}:
        found = [
            answer for case in cases()[op_type] if len(case.inputs) == count and (answer := commutes(case)) is not None
        ]
        assert len(found) < 2 or not all(found)


@pytest.mark.parametrize("op_type", PARAMETERS)
def test_parameters_of_channels_leave_the_other_axes_free(op_type: str) -> None:
    assert min(len(case.inputs) for case in cases()[op_type]) > 1
    found = {commutes(case, last_stays=True) for case in cases()[op_type]}
    assert True in found
    assert False not in found


def renamed(case: ConformanceCase, rank: int, axes: tuple[int, ...]) -> Any:
    """The attribute ``axis`` of a case, for inputs in another order of axes; None where it names none."""
    given = case.attributes.get("axis")
    if given is None or given == ():
        return None
    new = tuple(axes.index(axis % rank) for axis in np.atleast_1d(given))
    return new[0] if np.isscalar(given) else new


@pytest.mark.parametrize("op_type", having(lambda traits: traits.along_axis))
def test_axes_that_are_not_named_are_alike(op_type):
    """Results keep the order of axes, without those that are taken out of it."""
    tried = 0
    for case in cases()[op_type]:
        x, rank = first(case), first(case).ndim
        for axes in permutations(range(rank)) if rank in (2, 3, 4) and x.size > 1 else ():
            axis = renamed(case, rank, axes)
            if axis is None or any(y is None or y.ndim != rank for y in case.inputs):
                continue
            found = run(case, tuple(np.transpose(y, axes) for y in case.inputs if y is not None), axis=axis)
            taken = [a % rank for a in np.atleast_1d(case.attributes["axis"])]
            kept = [a for a in axes if a not in taken]
            order = {rank: axes, rank - len(taken): tuple(sorted(kept).index(a) for a in kept)}
            expected = run(case, case.inputs)
            assert same(found, tuple(np.transpose(y, order[y.ndim]) for y in expected)), (case.name, axes)
            tried += 1
    assert tried


def on_distinct_numbers(case: ConformanceCase, sign: int) -> tuple[tuple[Array, ...], set[int]] | None:
    """What a node gives for an input of distinct numbers, of one sign, and these; None where it takes no such input."""
    x = case.inputs[0]
    if x is None or x.size < 2 or 0 in case.constants:
        return None
    places = (sign * np.arange(1, x.size + 1, dtype=np.int32)).reshape(x.shape)
    joined = [places if y is not None and y.shape == x.shape and y.dtype == x.dtype else y for y in case.inputs[1:]]
    try:
        return run(case, (places, *joined)), set(places.reshape(-1).tolist())
    except (KernelInputError, ValueError, TypeError):
        return None


@pytest.mark.parametrize("op_type", having(lambda traits: traits.moves))
def test_movements_give_their_numbers_and_constants(op_type):
    """A number that is given for positive and for negative ones is a constant."""
    tried = 0
    for case in cases()[op_type]:
        one, other = (on_distinct_numbers(case, sign) for sign in (1, -1))
        if one is None or other is None:
            continue
        (results, numbers), (others, _) = one, other
        for y, negative in zip(results, others, strict=True):
            moved = y != negative
            assert np.array_equal(y[moved], -negative[moved]), case.name
            assert set(y[moved].reshape(-1).tolist()) <= numbers, case.name
            tried += int(moved.any())
    assert tried


@pytest.mark.parametrize("op_type", having(lambda traits: traits.pattern is ElementPattern.VIEW))
def test_views_keep_the_order(op_type):
    for case in cases()[op_type]:
        x, y = first(case), run(case, case.inputs)[0]
        assert x.reshape(-1).tobytes() == y.reshape(-1).tobytes(), case.name


@pytest.mark.parametrize("op_type", having(lambda traits: traits.pattern is ElementPattern.SHAPE))
def test_what_follows_from_shapes_is_the_same_for_other_numbers(op_type: str) -> None:
    tried = [(run(case, case.inputs), run(case, (np.zeros_like(first(case)),))) for case in cases()[op_type]]
    assert len({str(expected) for expected, _ in tried}) > 1
    assert all(same(found, expected) for expected, found in tried)


def weighted(op_type):
    """A case of one group without a fused activation, its weight, and the axis of its channels."""
    plain = (c for c in cases()[op_type] if c.attributes.get("activation_type", "NO_ACTIVATION") == "NO_ACTIVATION")
    for case in plain:
        x, weight = first(case), case.inputs[1]
        assert weight is not None
        axis = TRAITS[op_type].weight_axis
        if case.attributes.get("transpose_b"):
            axis = -2
        is_large = x.size and weight.ndim > 1 and min(weight.shape[axis], case.outputs[0].shape[-1]) > 1
        if is_large and case.attributes.get("group", 1) == 1 and weight.dtype == np.float32:
            return case, weight, axis
    raise AssertionError(op_type)


OF_THE_TYPE = {
    "the_rounded_quotient_counts",
    "only_minus_infinity_gives_the_lowest_number",
    "window_of_padding_gives_the_lowest_number",
}
"""Cases whose results follow from the digits or the range of float32."""


def is_rounded_once(case: ConformanceCase) -> bool:
    """Whether float64 gives for a case's inputs what float32 gives, once it is rounded."""
    wide = tuple(x.astype(np.float64) if x is not None and x.dtype == np.float32 else x for x in case.inputs)
    pairs = zip(run(case, case.inputs), run(case, wide), strict=True)
    with np.errstate(over="ignore"):
        return all(np.array_equal(a, b.astype(a.dtype), equal_nan=a.dtype.kind == "f") for a, b in pairs)


def on_real_numbers(op_type: str) -> list[ConformanceCase]:
    found = [case for case in cases().get(op_type, []) if case.name not in OF_THE_TYPE]
    return [case for case in found if any(x is not None and x.dtype == np.float32 for x in case.inputs)]


@pytest.mark.parametrize("op_type", having(lambda traits: traits.is_exact))
def test_exact_operators_round_once(op_type: str) -> None:
    assert all(map(is_rounded_once, on_real_numbers(op_type)))


@pytest.mark.parametrize("op_type", ["AddN", "CumSum", "Log", "MatMulFusion", "ReduceFusion", "Softmax"])
def test_sums_and_functions_are_not_exact(op_type: str) -> None:
    assert not TRAITS[op_type].is_exact
    assert not all(map(is_rounded_once, on_real_numbers(op_type)))


@pytest.mark.parametrize("op_type", having(lambda traits: traits.weight_axis is not None))
def test_a_part_of_the_weight_is_for_one_channel(op_type):
    case, weight, axis = weighted(op_type)
    changed = weight.copy()
    np.moveaxis(changed, axis, 0)[1] += 1
    before, after = (run(case, (case.inputs[0], w, *case.inputs[2:]))[0] for w in (weight, changed))
    differs = (before != after).reshape(-1, before.shape[-1]).any(axis=0)
    assert np.flatnonzero(differs).tolist() == [1]


def test_random_operators_have_a_seed() -> None:
    seeded = [name for name in OPERATORS if "seed" in {f.name for f in fields(PRIMITIVE_CLASSES[name])}]
    assert having(lambda traits: traits.effect is Effect.RANDOM) == [name for name in seeded if name != "Dropout"]


def test_operators_that_act_are_those_that_stay_without_readers() -> None:
    acting = {name for name, traits in TRAITS.items() if traits.has_effect}
    assert acting == {"Assign", "AssignAdd", "TensorArrayWrite", "Call", "Custom"} | {
        "AllGather", "Assert", "Depend", "ReduceScatter"
    }  # fmt: skip


def test_functions_are_counted_from_one() -> None:
    assert all(traits.functions >= 1 for traits in TRAITS.values())
