"""Kernels that are tried together: each gets the answer that it would get alone, and is tried once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from lite_delegate import DelegateUnavailable, Kernel, Rejected, Supported
from lite_delegate.backends.onnxruntime.sessions.session import SessionSettings
from lite_delegate.backends.onnxruntime.trials import ProviderTrials, trial_model, trials
from lite_delegate.backends.onnxruntime.trials.trial_model import TrialModel
from lite_delegate.backends.onnxruntime.trials.trial_process import TrialResult
from lite_delegate.basics.answering_process import HelperEnded, NoProcess
from tests.backends.onnxruntime.trials.kernels import unary

Answers = Callable[[list[str]], TrialResult]


class FakeProcess:
    """A process that knows its answers by the operators of a model, in order."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.asked: list[list[str]] = []
        self.started = 1

    def ask(self, model: TrialModel, seconds: float) -> TrialResult:
        graph = onnx.load_model_from_string(model.content).graph
        self.asked.append([node.op_type for node in graph.node if node.op_type != "Identity"])
        return self._answers(self.asked[-1])


def made(answers: Answers, folder: Path | str = "") -> tuple[ProviderTrials, FakeProcess]:
    """Trials whose process is a stand-in."""
    found = ProviderTrials(SessionSettings("FakeProvider"), (), 60, str(folder), None, "1")
    process = FakeProcess(answers)
    found._process = process  # type: ignore[assignment]
    return found, process


def crashes_at(*operators: str) -> Answers:
    """A process that ends at any model with one of these operators."""

    def answers(asked: list[str]) -> TrialResult:
        if set(operators) & set(asked):
            raise HelperEnded("ended by signal SIGFPE")
        return TrialResult({}, {})

    return answers


def reasons(found: ProviderTrials, kernels: list[Kernel]) -> list[str]:
    answers = [found.answer(kernel) for kernel in kernels]
    assert all(isinstance(each, (Supported, Rejected)) for each in answers)
    return [each.reason if isinstance(each, Rejected) else "" for each in answers]


def test_kernels_are_tried_together_and_once() -> None:
    found, process = made(lambda _: TrialResult({}, {}))
    kernels = unary("Exp", "Sin", "Exp", "Tanh")
    found.survey(kernels)
    assert process.asked == [["Exp", "Sin", "Tanh"]]
    assert reasons(found, kernels) == [""] * 4
    found.survey(kernels)
    assert len(process.asked) == 1


def test_each_kernel_is_signed_once_for_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    signed: list[str] = []
    sign = trial_model.signed

    def counted(kernel: Kernel, *rest: Any) -> str:
        signed.append(kernel.name)
        return sign(kernel, *rest)

    monkeypatch.setattr(trials, "signed", counted)
    found, _ = made(lambda _: TrialResult({}, {}))
    kernels = unary("Exp", "Sin")
    found.survey(kernels)
    reasons(found, kernels)
    assert signed == [kernel.name for kernel in kernels]


def test_a_kernel_of_new_shapes_is_tried_again() -> None:
    """The same object: a graph kernel that follows new shapes leaves the nodes' kernels as they are."""
    found, process = made(lambda asked: TrialResult({"k0": ("Exp",)} if len(process.asked) > 1 else {}, {}))
    (kernel,) = unary("Exp")
    found.survey([kernel])
    assert reasons(found, [kernel]) == [""]
    for tensor in (*kernel.inputs, *kernel.outputs):
        tensor.shape = (7, *tensor.shape[1:])
    (reason,) = reasons(found, [kernel])
    assert "would run Exp" in reason


def test_a_kernel_without_a_survey_is_tried_when_it_is_asked_about() -> None:
    found, process = made(lambda _: TrialResult({}, {}))
    assert reasons(found, unary("Exp")) == [""]
    assert process.asked == [["Exp"]]


def test_what_is_left_to_the_cpu_is_rejected_with_the_providers_reason() -> None:
    found, _ = made(lambda _: TrialResult({"k1": ("Erf", "Mul", "Erf")}, {"k1": "no Erf on this chip", "k0": "unused"}))
    kernels = unary("Exp", "Erf")
    found.survey(kernels)
    assert reasons(found, kernels) == [
        "",
        "FakeProvider does not take it: ONNX Runtime would run Erf, Mul on its CPUExecutionProvider: "
        "no Erf on this chip",
    ]
    answer = found.answer(kernels[1])
    assert isinstance(answer, Rejected)
    assert answer.rule == "FakeProvider must take Erf, Mul"


@pytest.mark.parametrize("bad", range(5))
def test_a_crash_is_one_kernel_s_whatever_its_place(bad: int) -> None:
    operators = ["Exp", "Sin", "Tanh", "Cos", "Abs"]
    found, process = made(crashes_at(operators[bad]))
    kernels = unary(*operators)
    found.survey(kernels)
    said = reasons(found, kernels)
    assert [place for place, reason in enumerate(said) if reason] == [bad]
    assert said[bad] == "FakeProvider fails to compile it: the process that tried it ended by signal SIGFPE"
    assert len(process.asked) <= 7  # all, and two for each halving


def test_a_session_that_cannot_be_made_is_one_kernel_s() -> None:
    def answers(asked: list[str]) -> TrialResult:
        return (
            TrialResult({}, {"k0": "a shape of 5 dimensions"}, error="no session")
            if "Sin" in asked
            else TrialResult({}, {})
        )

    found, _ = made(answers)
    kernels = unary("Exp", "Sin")
    found.survey(kernels)
    assert reasons(found, kernels) == [
        "",
        "FakeProvider fails to compile it: no session (a shape of 5 dimensions)",
    ]


def test_kernels_that_fail_together_alone_are_taken() -> None:
    found, _ = made(lambda asked: TrialResult({}, {}, error="out of memory") if len(asked) > 1 else TrialResult({}, {}))
    kernels = unary("Exp", "Sin", "Tanh")
    found.survey(kernels)
    assert reasons(found, kernels) == [""] * 3


def test_models_of_many_bytes_are_tried_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MOST_BYTES", 1)
    found, process = made(lambda _: TrialResult({}, {}))
    found.survey(unary("Exp", "Sin", "Tanh"))
    assert process.asked == [["Exp"], ["Sin"], ["Tanh"]]


def test_a_provider_that_is_not_there_is_no_answer() -> None:
    found, process = made(lambda _: TrialResult({}, {}, absence="no device"))
    for _ in range(2):
        with pytest.raises(DelegateUnavailable, match=r"^no device$"):
            found.survey(unary("Exp"))
    assert len(process.asked) == 2, "it is asked again"


def test_a_process_that_cannot_be_started_is_no_answer() -> None:
    def answers(asked: list[str]) -> TrialResult:
        raise NoProcess("out of memory")

    with pytest.raises(DelegateUnavailable, match=r"No process can be started .* 'FakeProvider': out of memory"):
        made(answers)[0].survey(unary("Exp"))


def test_answers_are_kept_in_the_folder(tmp_path: Path) -> None:
    kernels = unary("Exp", "Sin")
    made(crashes_at("Sin"), tmp_path)[0].survey(kernels)
    found, process = made(crashes_at("Sin"), tmp_path)
    found.survey(kernels)
    assert [bool(reason) for reason in reasons(found, kernels)] == [False, True]
    assert process.asked == []
