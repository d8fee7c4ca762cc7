"""What delegates say of their numbers: special values of their own, and integers that may be a step off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import NodeQuantization, Quantization

from lite_delegate import Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported
from lite_delegate.conformance import CaseOutcome, ConformanceCase, run_case
from lite_delegate.conformance.judging.chain import Chain, ChainNode
from lite_delegate.conformance.judging.reference import reference_outputs_of
from lite_delegate.conformance.pattern_runner import run_pattern
from lite_delegate.conformance.patterns.pattern import Pattern

Array = np.ndarray[Any, Any]
Answer = Callable[..., Array]


class Answering(Kernel):
    answer: Answer

    def execute(self) -> None:
        self.outputs[0].data = self.answer(*(tensor.data for tensor in self.inputs))


class Device(Delegate):
    """Gives what a function makes of two inputs."""

    name = "device"

    def __init__(
        self, answer: Answer, special_values: bool = True, steps: int = 0, infinite_results: bool = True
    ) -> None:
        self.answer = answer
        self.special_values = special_values
        self.infinite_results = infinite_results
        self.quantized_steps = {"AddFusion": steps}

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        made = Answering("G", "G", boundary.inputs, boundary.outputs)
        made.answer = self.answer
        return made


def special_case(a: Sequence[float]) -> ConformanceCase:
    x, y = np.array(a, np.float32), np.array([1, 2, 3], np.float32)
    return ConformanceCase("special", "AddFusion", (x, y), (x + y,), source="hand")


def numbers_for_nan(a: Array, b: Array) -> Array:
    return np.nan_to_num(a) + b


def wrong_everywhere(a: Array, b: Array) -> Array:
    return np.nan_to_num(a) + b + np.float32(0.5)


@pytest.mark.parametrize(
    ("inputs", "answer", "promised", "outcome"),
    [
        ([0, np.nan, 2], numbers_for_nan, True, CaseOutcome.WRONG),
        ([0, np.nan, 2], numbers_for_nan, False, CaseOutcome.OUT_OF_RANGE),
        ([0, np.inf, 2], numbers_for_nan, False, CaseOutcome.OUT_OF_RANGE),
        ([np.nan] * 3, numbers_for_nan, False, CaseOutcome.OUT_OF_RANGE),
        ([0, np.nan, 2], wrong_everywhere, False, CaseOutcome.WRONG),
        ([0, 1, 2], wrong_everywhere, False, CaseOutcome.WRONG),
        ([0, np.nan, 2], np.add, False, CaseOutcome.PASSED),
    ],
)
def test_special_values_count_where_they_are_promised(
    inputs: list[float], answer: Answer, promised: bool, outcome: CaseOutcome
) -> None:
    assert run_case(special_case(inputs), Device(answer, special_values=promised)).outcome is outcome


def test_what_differs_in_special_values_is_told() -> None:
    result = run_case(special_case([0, np.nan, 2]), Device(numbers_for_nan, special_values=False))
    assert result.detail.startswith("NaN or infinities: output 0: 1 of 3 elements differ, first at (1,): expected nan")
    wrong = run_case(special_case([0, np.nan, 2]), Device(wrong_everywhere, special_values=False))
    assert wrong.detail.startswith("with finite numbers in place of NaN and infinities: output 0: 3 of 3")


def ending_at_the_largest(a: Array, b: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(a + b, np.finfo(np.float32).min, np.finfo(np.float32).max))


@pytest.mark.parametrize(("promised", "outcome"), [(True, CaseOutcome.WRONG), (False, CaseOutcome.PASSED)])
def test_the_largest_numbers_stand_for_infinities_where_these_are_not_promised(
    promised: bool, outcome: CaseOutcome
) -> None:
    x = np.array([3e38, -3e38, 1], np.float32)
    with np.errstate(over="ignore"):
        case = ConformanceCase("large", "AddFusion", (x, x), (x + x,), rtol=0, atol=0, source="hand")
    device = Device(ending_at_the_largest, infinite_results=promised)
    assert run_case(case, device).outcome is outcome
    wrong = Device(wrong_everywhere, infinite_results=promised)
    assert run_case(case, wrong).outcome is CaseOutcome.WRONG


class Choosy(Device):
    """Takes constants with NaN alone."""

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        if np.isnan(kernel.inputs[1].data).any():
            return Supported()
        return Rejected(RejectCode.ATTRIBUTE, "the constant must have NaN")


def test_what_is_claimed_with_special_values_alone_has_no_excuse() -> None:
    x, y = np.array([1, 2, 3], np.float32), np.array([0, np.nan, 2], np.float32)
    case = ConformanceCase("special", "AddFusion", (x, y), (x + y,), constants=frozenset({1}), source="hand")
    result = run_case(case, Choosy(lambda a: a, special_values=False))
    assert result.outcome is CaseOutcome.WRONG


ONE = Quantization((1.0,), (0,))
EIGHT_BIT = NodeQuantization((ONE, ONE), (ONE,))


def quantized_case() -> ConformanceCase:
    a, b = np.array([3, -20, 50], np.int8), np.array([4, 5, -6], np.int8)
    return ConformanceCase("int8", "AddFusion", (a, b), (a + b,), rtol=0, atol=0, quantization=EIGHT_BIT)


def off_by(step: int) -> Answer:
    return lambda a, b: (a + b + np.int8(step)).astype(np.int8)


@pytest.mark.parametrize(
    ("off", "steps", "outcome"),
    [
        (0, 0, CaseOutcome.PASSED),
        (1, 0, CaseOutcome.WRONG),
        (1, 1, CaseOutcome.PASSED),
        (-1, 1, CaseOutcome.PASSED),
        (2, 1, CaseOutcome.WRONG),
    ],
)
def test_8_bit_integers_may_be_off_by_the_steps_that_are_declared(off: int, steps: int, outcome: CaseOutcome) -> None:
    assert run_case(quantized_case(), Device(off_by(off), steps=steps)).outcome is outcome


def test_integers_that_are_not_quantized_are_granted_no_step() -> None:
    a, b = np.array([3, -20], np.int32), np.array([4, 5], np.int32)
    case = ConformanceCase("int32", "AddFusion", (a, b), (a + b,), rtol=0, atol=0)
    assert run_case(case, Device(lambda x, y: x + y + np.int32(1), steps=1)).outcome is CaseOutcome.WRONG


@pytest.mark.parametrize(("off", "outcome"), [(2, CaseOutcome.PASSED), (3, CaseOutcome.WRONG)])
def test_a_chain_may_be_off_by_the_steps_of_its_nodes(off: int, outcome: CaseOutcome) -> None:
    a, b = np.array([3, -20, 50], np.int8), np.array([4, 5, -6], np.int8)
    nodes = (
        ChainNode("first", "AddFusion", ("a", "b"), ("c",), {}, EIGHT_BIT),
        ChainNode("second", "AddFusion", ("c", "b"), ("d",), {}, EIGHT_BIT),
    )
    chain = Chain("sums", nodes, {"a": a, "b": b}, {}, ("d",))
    assert reference_outputs_of(chain)[0].tolist() == [11, -10, 38]
    device = Device(lambda x, y: (x + y + y + np.int8(off)).astype(np.int8), steps=1)
    assert run_pattern(Pattern("sums", chain), device, closely=False).outcome is outcome
