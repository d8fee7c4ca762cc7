"""PrecisionIslands, case by case as its docstring numbers them. Expected values are worked out in float64 here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate.npu.blob.attributes import attribute_records, from_attributes
from lite_delegate.npu.cost import Packing, cost_of
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction
from lite_delegate.npu.device.instructions.repetition import Broadcast
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.ir.module import Module
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.passes.precision import PrecisionIslands
from lite_delegate.npu.profiles import load_profile
from tests.npu.graphs import Array
from tests.npu.passes.modules import Sketch, opcodes, run

ADD, SUB, MUL, DIV = (
    Binary(each) for each in (BinaryFunction.ADD, BinaryFunction.SUB, BinaryFunction.MUL, BinaryFunction.DIV)
)
MEAN, SUM = (Reduce(each, (1,)) for each in (ReductionFunction.MEAN, ReductionFunction.SUM))
EXP = Lookup(Function.EXP, (1.0, 0.0))
SHAPE = (3, 64)


def far_from_zero() -> Array:
    """Rows whose spread is small beside their mean, as float16 has them: (3, 64)."""
    rng = np.random.default_rng(5)
    return (np.array([[20.0], [-40.0], [90.0]]) + rng.normal(size=SHAPE)).astype(np.float16).astype(np.float32)


def widened(module: Module) -> Module:
    """The module after the pass, which leaves itself nothing to do."""
    result = PrecisionIslands().rewrite(module)
    result.program()
    assert PrecisionIslands().rewrite(result) is result
    return result


def error(module: Module, x: Array, expected: Array) -> float:
    """The largest error of the only output, relative to the largest expected value."""
    (got,) = run(module, {"x0": x})
    with np.errstate(invalid="ignore"):
        worst = np.abs(got.astype(np.float64) - expected).max() / np.abs(expected).max()
    return float(worst)


def assert_saved(s: Sketch, output: int, x: Array, expected: Array, most: float = 2e-3) -> Module:
    """The numbers are wrong as they are and right after the pass."""
    module = s.module(output)
    result = widened(module)
    assert not error(module, x, expected) < 10 * most
    assert error(result, x, expected) < most
    return result


def standardized(s: Sketch, x: int, offset: float = 1e-6) -> tuple[int, int]:
    """The mean of each row, and the reciprocal of its deviation by the difference of means."""
    mean = s.step(MEAN, x)
    variance = s.step(SUB, s.step(MEAN, s.step(MUL, x, x)), s.step(MUL, mean, mean))
    positive = s.step(Binary(BinaryFunction.MAXIMUM), variance, s.constant([[0.0]]))
    return mean, s.step(Lookup(Function.RSQRT), s.step(ADD, positive, s.constant([[offset]])))


def exact(x: Array, offset: float = 1e-6) -> Array:
    wide = x.astype(np.float64)
    centered = wide - wide.mean(1, keepdims=True)
    return np.asarray(centered / np.sqrt((centered**2).mean(1, keepdims=True) + offset))


def test_cases_1_and_2_a_difference_of_means() -> None:
    s, x = Sketch(), far_from_zero()
    mean, factor = standardized(s, data := s.input(*SHAPE))
    result = assert_saved(s, s.step(MUL, s.step(SUB, data, mean), factor), x, exact(x))
    elements = {step.name: result.buffers[step.output].element for step in result.steps}
    assert list(elements.values())[-2:] == [ElementType.FLOAT16] * 2
    assert set(list(elements.values())[:-2]) == {ElementType.FLOAT32}
    assert "ConvertElements" not in opcodes(result)


def test_case_1_sums_that_float16_cannot_hold() -> None:
    s, x = Sketch(), np.full(SHAPE, 2000.0, np.float32)
    mean = s.step(MUL, s.step(SUM, data := s.input(*SHAPE)), s.constant([[1 / 64]]))
    assert_saved(s, s.step(DIV, data, mean), x, np.ones(SHAPE))


def test_case_1_goes_through_moves() -> None:
    s, x = Sketch(), np.full(SHAPE, 2000.0, np.float32)
    total = s.step(View((3,)), s.step(SUM, data := s.input(*SHAPE)))
    wide = s.step(Broadcast(SHAPE), s.step(View((3, 1)), total))
    assert_saved(s, s.step(DIV, data, wide), x, np.full(SHAPE, 1 / 64))


def test_case_2_exponentials() -> None:
    s, x = Sketch(), np.tile(np.linspace(0, 12, 64, dtype=np.float16).astype(np.float32), (3, 1))
    powers = s.step(EXP, s.input(*SHAPE))
    wide = np.exp(x.astype(np.float64))
    result = assert_saved(s, s.step(DIV, powers, s.step(SUM, powers)), x, wide / wide.sum(1, keepdims=True))
    assert [step.instruction.widens for step in result.steps if isinstance(step.instruction, Lookup)] == [True]


def test_case_3_shifted_products() -> None:
    s, x = Sketch(), far_from_zero()
    mean, factor = standardized(s, data := s.input(*SHAPE))
    gamma, beta = np.linspace(0.5, 1.5, 64)[None], np.linspace(-1, 1, 64)[None]
    scale = s.step(MUL, factor, s.constant(gamma))
    shift = s.step(SUB, s.constant(beta), s.step(MUL, mean, scale))
    output = s.step(ADD, s.step(MUL, data, scale), shift)
    assert_saved(s, output, x, exact(x) * gamma.astype(np.float16) + beta, most=4e-3)


@pytest.mark.parametrize("function", [Function.SQRT, Function.RSQRT])
def test_case_4_small_addends(function: Function) -> None:
    s, x = Sketch(), np.zeros(SHAPE, np.float32)
    root = s.step(Lookup(function), s.step(ADD, s.input(*SHAPE), s.constant([[1e-8]])))
    assert_saved(s, root, x, np.full(SHAPE, 1e-8) ** (0.5 if function is Function.SQRT else -0.5))


def test_what_crosses_and_what_takes_float16_alone_is_rounded_once() -> None:
    s, x = Sketch(), far_from_zero()
    mean = s.step(MEAN, data := s.input(*SHAPE))
    centered = s.step(SUB, data, mean)
    joined = s.step(Concatenate(1), mean, centered)
    module = s.module(joined, mean)
    result = widened(module)
    assert opcodes(result)["ConvertElements"] == 1
    assert [result.buffers[p.buffer].element for p in result.outputs] == [ElementType.FLOAT16] * 2
    want = np.concatenate([x.astype(np.float64).mean(1, keepdims=True), exact(x)[:, :0]], 1)
    got = run(result, {"x0": x})
    np.testing.assert_array_equal(got[1], want.astype(np.float16))
    np.testing.assert_array_equal(got[0][:, :1], got[1])


def _gate(s: Sketch, x: int) -> int:
    return s.step(MatMul(), s.step(MEAN, x), s.constant([[2.0]]))


def _plain_sum(s: Sketch, x: int) -> int:
    return s.step(Permute((1, 0)), s.step(SUM, s.step(ADD, x, x)))


def _largest(s: Sketch, x: int) -> int:
    return s.step(SUB, x, s.step(Reduce(ReductionFunction.MAX, (1,)), x))


def _large_addend(s: Sketch, x: int) -> int:
    return s.step(Lookup(Function.SQRT), s.step(ADD, x, s.constant([[0.5]])))


def _small_addend_of_a_sum(s: Sketch, x: int) -> int:
    return s.step(MUL, s.step(ADD, x, s.constant([[1e-6]])), x)


def _dividend(s: Sketch, x: int) -> int:
    return s.step(DIV, s.step(ADD, x, s.constant([[1e-6]])), s.constant([[3.0]]))


def _exponentials_alone(s: Sketch, x: int) -> int:
    return s.step(MUL, s.step(EXP, x), x)


OTHERS: dict[str, Callable[[Sketch, int], int]] = {
    "a mean that a product reads": _gate,
    "a sum of sums that crosses": _plain_sum,
    "a largest element": _largest,
    "an addend that float16 holds": _large_addend,
    "a small addend that nothing divides by": _small_addend_of_a_sum,
    "a small addend of a dividend": _dividend,
    "exponentials that are not added up": _exponentials_alone,
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay(name: str) -> None:
    s = Sketch()
    module = s.module(OTHERS[name](s, s.input(*SHAPE)))
    assert PrecisionIslands().rewrite(module) is module


@pytest.mark.parametrize("element", [ElementType.FLOAT32, ElementType.INT32])
def test_programs_of_other_types_stay(element: ElementType) -> None:
    s = Sketch(element)
    mean = s.step(MEAN, data := s.input(*SHAPE))
    module = s.module(s.step(SUB, data, mean))
    assert PrecisionIslands().rewrite(module) is module


def test_float32_costs_memory_and_time() -> None:
    s = Sketch()
    powers = s.step(EXP, s.input(64, 4096))
    module = s.module(s.step(DIV, powers, s.step(SUM, powers)))
    target = Target(load_profile("generic"))
    axes = tuple(p.axes for p in module.inputs), tuple(p.axes for p in module.outputs)
    before, after = (cost_of(each.program(), Packing(*axes), target) for each in (module, widened(module)))
    assert after.compute_cycles > 1.5 * before.compute_cycles
    sizes = [sum(buffer.nbytes for buffer in each.buffers) for each in (module, widened(module))]
    assert sizes[1] - sizes[0] == 2 * (64 * 4096 + 64)


def test_a_blob_keeps_what_an_instruction_widens() -> None:
    lookup = Lookup(Function.EXP, (1.0, 0.0), widens=True)
    records = {str(record["name"]): record for record in attribute_records(lookup)}
    full = {name: {"text": None, "ints": None, "reals": None, **record} for name, record in records.items()}
    assert from_attributes(Lookup, full) == lookup
