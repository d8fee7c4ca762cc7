"""ComparisonData: the errors of a delegate, as frozen data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, ClassVar, Self

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief, model_words
from ..numerics.metrics import Metrics
from ..numerics.usability import OutputUse, UsableLimits
from ..reporting.forms import ReportData
from ..reporting.plain import to_plain
from ..reporting.tables import FormTable
from ..runtime.records import SourceRecord
from .loss import Loss
from .repair import Repair


class Outcome(StrEnum):
    """The end of a comparison of a tensor, a kernel or a subgraph; of several the worst counts, which comes last here.

    1. OK: within tolerance, by itself and in the whole prediction.
    2. SKIPPED: not compared; the detail says why.
    3. INHERITED: its own error is within tolerance, but it was given numbers that were off already.
    4. WRONG: its own error is beyond tolerance.
    5. FAILED: it raised an error, or gave something of another type or shape.
    """

    OK = "ok"
    SKIPPED = "not compared"
    INHERITED = "inherited"
    WRONG = "wrong"
    FAILED = "failed"

    @property
    def is_fault(self) -> bool:
        """True for a fault of the compared part itself, not of its inputs."""
        return self in (Outcome.WRONG, Outcome.FAILED)


_RANK = {outcome: i for i, outcome in enumerate(Outcome)}


def worst(outcomes: Iterator[Outcome]) -> Outcome:
    """The worst of several outcomes; OK without an outcome."""
    return max(outcomes, key=_RANK.__getitem__, default=Outcome.OK)


@dataclass(frozen=True, slots=True)
class TensorComparison(Brief):
    """One output tensor of a kernel, a subgraph or the model.

    Attributes:
        name: the tensor's.
        dtype: the name of its element type.
        shape: as the reference gave it.
        rtol: what is granted to its own error, relative to the expected value; in the model's outputs to the total.
        atol: the same, absolute: the largest where it differs between elements.
        beyond: how many elements are off by more.
        own: the delegate's against the reference's, on the same inputs. None for an output of the model.
        inherited: the reference's on those inputs against the reference's in the reference run. None where that did not
            get there, for an output of the model, and where shapes differ.
        total: the delegate's against that of the reference run. None where that did not get there, or shapes differ.
        outcome: what came of it.
        detail: what else is to be said, "" for nothing.
        out_of_range: how many of ``beyond`` are NaN or infinite in the rounded reference run: numbers left the range of
            the storage type on the way, whatever the device made of them.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    rtol: float
    atol: float
    beyond: int
    own: Metrics | None
    inherited: Metrics | None
    total: Metrics | None
    outcome: Outcome
    detail: str = ""
    out_of_range: int = 0

    @property
    def is_explained(self) -> bool:
        """Whether the storage type explains the error by itself: by its digits, or by its range."""
        return self.outcome is not Outcome.FAILED and self.out_of_range == self.beyond


@dataclass(frozen=True, slots=True)
class Comparison(Brief):
    """One run of a subgraph, or of a stretch of its kernels by itself.

    Attributes:
        name: the graph kernel's, or the node's.
        type: the graph kernel's, or the operator.
        graph: the subgraph of the model that it is in, "" for the main graph.
        kernels: the nodes that it stands for.
        call: which run of it in the prediction, from 1.
        outcome: the worst of its tensors'.
        detail: why it failed or was not compared, "" otherwise.
        tensors: its outputs.
        parts: each of its kernels by itself, where that was asked for.
        sources: the nodes of the model file that its nodes come from.
        traceback: of what the delegate raised, "" where it raised nothing.
    """

    name: str
    type: str
    graph: str
    kernels: tuple[str, ...]
    call: int
    outcome: Outcome
    detail: str = ""
    tensors: tuple[TensorComparison, ...] = ()
    parts: tuple[Comparison, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Culprit(Brief):
    """The smallest stretch of a subgraph that was found to be wrong by itself.

    Attributes:
        subgraph: the graph kernel that it is in.
        found: the comparison of the stretch, on the reference's values.
        builds: how many parts the delegate was made to build to find it.
        is_together: several kernels that are each right by themselves, as far as was tried.
        saved: the directory with the reproducer, "" when there is none.
        note: what else is to be said, "" for nothing.
    """

    subgraph: str
    found: Comparison
    builds: int
    is_together: bool
    saved: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonData(ReportData):
    """The places where a delegate's numbers leave the reference's. Keys of ``to_dict`` are only ever added.

    Attributes:
        model: the model's file, "" when it was not read from one.
        delegate: the delegates' names, joined by commas.
        rtol: the tolerance that was asked for; None for the default.
        atol: the same.
        subgraphs: every run of every graph kernel that was compared, in execution order.
        outputs: the model's, by their total error.
        culprits: the kernels that splitting found.
        notes: what concerns the whole comparison.
        error: why the prediction on the delegate stopped early, "" when it did not.
        uses: whether each output of the model is usable; none where the prediction stopped early.
        limits: what an output must reach to be usable.
        explained_only: whether a model that is not usable passes all the same.
        losses: the kernels at which most digits get lost, the worst first, see ``CompareOptions.losses``.
        repair: the nodes to keep in float32; None where that was not asked for.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "layers": FormTable(
            ("subgraphs", "tensors"), ("subgraphs.name", "name", "outcome", "own.max_abs", "own.snr_db"), is_flat=True
        ),
        "kernels": FormTable(("subgraphs", "parts")),
        "kernel_tensors": FormTable(("subgraphs", "parts", "tensors"), is_flat=True),
        "outputs": FormTable(("outputs",), is_flat=True),
        "losses": FormTable(("losses",)),
        "uses": FormTable(("uses",)),
    }

    model: str
    delegate: str
    rtol: float | None
    atol: float | None
    subgraphs: tuple[Comparison, ...]
    outputs: tuple[TensorComparison, ...]
    culprits: tuple[Culprit, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    uses: tuple[OutputUse, ...] = ()
    limits: UsableLimits = field(default_factory=UsableLimits)
    explained_only: bool = False
    losses: tuple[Loss, ...] = ()
    repair: Repair | None = None

    @property
    def outcome(self) -> Outcome:
        """The worst of all, kernels that could not be compared by themselves left aside."""
        if self.error:
            return Outcome.FAILED
        parts = (p.outcome for s in self.subgraphs for p in s.parts if p.outcome is not Outcome.SKIPPED)
        return worst(iter([*(s.outcome for s in self.subgraphs), *parts, *(t.outcome for t in self.outputs)]))

    @property
    def explained(self) -> bool:
        """The first verdict, on the device: True when every run of a subgraph was compared, and everything is within
        tolerance, or infinite and NaN where the rounded reference run is. So the storage type explains all differences.
        """
        return self.outcome is Outcome.OK or self.out_of_range

    @property
    def out_of_range(self) -> bool:
        """Whether numbers left the range of the storage type, on the device as in the rounded reference run, and
        nothing else is wrong.
        """
        each = [c for s in self.subgraphs for c in (s, *s.parts)]
        tensors = [t for t in (*(t for c in each for t in c.tensors), *self.outputs) if t.outcome is Outcome.WRONG]
        odd = any(c.outcome in (Outcome.FAILED, Outcome.SKIPPED) for c in self.subgraphs)
        odd = odd or any(p.outcome is Outcome.FAILED for s in self.subgraphs for p in s.parts)
        return bool(tensors) and not odd and not self.error and all(t.is_explained for t in tensors)

    @property
    def usable(self) -> bool:
        """The second verdict, on the model: True when every output of the prediction on the delegate is near enough to
        the reference's, whatever explains the difference, see ``UsableLimits``.
        """
        return not self.unusable

    @property
    def unusable(self) -> tuple[str, ...]:
        """Why the model is not usable on the delegate; nothing where it is."""
        if self.error:
            return ("the prediction on the delegate stopped early",)
        failed = [s.name for s in self.subgraphs if s.outcome is Outcome.FAILED and not s.tensors]
        if failed:
            return (f"subgraph '{failed[0]}' failed, and the reference's results took its place",)
        return tuple(f"'{use.name}': {'; '.join(use.reasons)}" for use in self.uses if not use.usable)

    @property
    def passed(self) -> bool:
        """True when both verdicts are good; with ``explained_only`` when the first one is."""
        return self.explained and (self.explained_only or self.usable)

    def with_note(self, note: str) -> Self:
        """The report with another note."""
        return replace(self, notes=(*self.notes, note))

    def _line(self) -> str:
        words = ("explained" if self.explained else "not explained", "usable" if self.usable else "not usable")
        compared = f"{counted(len(self.subgraphs), 'run')} of subgraphs"
        return f"{model_words(self.model)}{compared} on {self.delegate}, {', '.join(words)}"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON. Infinite numbers are ``"inf"`` and ``"-inf"``."""
        plain: dict[str, Any] = to_plain(self)
        return plain | {
            "outcome": self.outcome,
            "passed": self.passed,
            "explained": self.explained,
            "out_of_range": self.out_of_range,
            "usable": self.usable,
            "unusable": list(self.unusable),
        }
