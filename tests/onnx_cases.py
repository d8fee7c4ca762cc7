"""All cases that ONNX publishes, through one backend: those that fail are the ones that are known to.

``python -m tests.onnx_cases none onnxruntime openvino`` runs them, minutes for each; so does ``make backends``.
"""

from __future__ import annotations

import sys
import unittest
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx.backend.test import BackendTest

from lite_delegate import Delegate
from lite_delegate.basics.data_class import dataclass
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from lite_delegate.onnx_backend import LiteDelegateBackend, NotImplementedHere, PreparedModel

ALL = r"_cpu$"
"""What cases for the CPU end with; the others are the same for CUDA."""
NOT_CHOSEN = "no matched include pattern"
"""Why ONNX's runner skips what the regular expression does not find."""
RANDOM = "drops elements at random: another generator drops others"
CANCELLED = "sums that cancel to 0: 2e-7 is left of what is expected, 1e-15 of ours, and 1e-7 is allowed"
KNOWN = {
    "test_dft_inverse_cpu": CANCELLED,
    "test_dft_inverse_opset19_cpu": CANCELLED,
    "test_training_dropout_cpu": RANDOM,
    "test_training_dropout_default_cpu": RANDOM,
    "test_training_dropout_default_mask_cpu": RANDOM,
    "test_training_dropout_mask_cpu": RANDOM,
}
"""Cases that fail with every delegate and without, and why."""
BY_MACHINE = {
    "test_attention_4d_causal_fp16_cpu": "expected is float16 rounded more often than ours",
    "test_attention_4d_causal_fp16_expanded_cpu": "the same",
    "test_squeezenet_cpu": "sums that must be equal bit by bit, which OpenBLAS orders by processor",
}
"""Cases that fail on some machines, and why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the cases came to.

    Attributes:
        passed: the number of those that did.
        rejected: the number of those with operators that cannot be imported, or that nobody can run; they count as
            passed or skipped for ONNX's runner.
        unexpected: the end of what was raised by those that should pass, by name.
        unneeded: those that passed, and are known not to.
    """

    passed: int
    rejected: int
    unexpected: Mapping[str, str]
    unneeded: Sequence[str]


def run_cases(delegate: Delegate | None, select: str = "") -> Outcome:
    """Runs the cases whose names a regular expression finds; all of them without it."""
    rejected: list[str] = []

    class Chosen(LiteDelegateBackend):
        """The runtime with that delegate."""

        @classmethod
        def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PreparedModel:
            try:
                return super().prepare(model, device, **kwargs)
            except NotImplementedHere:
                rejected.append(model.graph.name)
                raise

    Chosen.delegate = delegate
    result = _Result()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BackendTest(Chosen, __name__).include(select or ALL).test_suite.run(result)
    failed = {_name(case): text.strip().splitlines()[-1] for case, text in (*result.failures, *result.errors)}
    incompatible = sum(reason != NOT_CHOSEN for _, reason in result.skipped)
    return Outcome(
        passed=len(result.passed) + incompatible - len(rejected),
        rejected=len(rejected),
        unexpected={name: text for name, text in failed.items() if name not in {**KNOWN, **BY_MACHINE}},
        unneeded=[name for name in result.passed if name in KNOWN],
    )


class _Result(unittest.TestResult):
    """One that knows what passed."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[str] = []

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed.append(_name(test))


def _name(case: unittest.TestCase) -> str:
    return case.id().rpartition(".")[2]


def main(delegates: Sequence[str]) -> int:
    """Runs all cases through delegates that are named as for ``--delegate``; 1 where something was not expected."""
    wrong = False
    for spec in delegates:
        outcome = run_cases(resolve_delegate(spec))
        print(
            f"{spec}: {outcome.passed} passed, {outcome.rejected} rejected, {len(outcome.unexpected)} failed",
            flush=True,
        )
        for name, text in outcome.unexpected.items():
            print(f"  {name}: {text}")
        for name in outcome.unneeded:
            print(f"  {name} passes, and is known not to")
        wrong = wrong or bool(outcome.unexpected or outcome.unneeded)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["none", "onnxruntime", "openvino"]))
