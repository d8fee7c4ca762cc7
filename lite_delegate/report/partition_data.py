"""PartitionData: the device of each node and the reason, as frozen data."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import model_words
from ..delegate import RejectCode
from ..errors import InputError
from ..partition import PartitionOptions
from ..reporting.forms import ReportData
from ..reporting.plain import from_plain, to_plain
from ..reporting.tables import FormTable
from ..runtime.records import (
    AlternativeRecord,
    CalibrationRecord,
    CpuGroupRecord,
    DelegateRecord,
    FailureRecord,
    NodeLabel,
    NodeRecord,
    RemovedRecord,
    RewriteRecord,
    SubgraphRecord,
    TensorRecord,
    devices_of,
    labels_of,
    source_texts,
)
from ..runtime.records.records import partition_line
from ..runtime.records.strip import partition_strip
from .accuracy.digits import DigitRisk
from .accuracy.node_errors import NodeError, node_errors
from .verdict import Verdict, verdict_of
from .what_if import WhatIf

SCHEMA_VERSION = 1
"""Of the JSON. It changes only if a key ever gets another meaning: keys are only ever added."""


@dataclass(frozen=True, slots=True)
class PartitionData(ReportData):
    """The partition of a built model. Keys of ``to_dict`` are only ever added.

    Attributes:
        model: the model's file, "" when it was not read from one.
        delegate: the delegate's name, "none" without one; of several the names, separated by commas.
        kernels_total: nodes of the model.
        kernels_delegated: nodes that the delegate runs.
        subgraphs: the graph kernels, in execution order.
        minimum_subgraphs: no execution order has fewer subgraphs for the nodes that the delegate runs.
        minimum_proof: names of the nodes of a dependency path that forces that many: each stretch of delegated
            nodes on it needs a subgraph of its own, because a node between them runs on the CPU.
        nodes: in execution order.
        notes: what concerns the whole model (the device is not there, ...).
        inputs: of the model, in API order.
        outputs: of the model, in API order.
        options: what the user asked of the partitioner.
        delegates: what each delegate took, in order of preference.
        what_if: what would change if the delegates supported what they reject; None where that was not asked for.
        waiting_for_shapes: names of nodes on the CPU that only compute shapes, or are rejected because a shape is not
            known: known shapes alone would change them, so they are in no row of ``what_if``.
        rewrites: what was put in equal forms before the delegates were asked, because of their limits.
        alternatives: the plans among which the fastest was looked for, with placement "fastest".
        cpu_groups: the nodes on the CPU that run on a runtime's kernels, see ``Context.cpu.backends``.
        failures: what delegates raised while the model was planned, one for each cause, with tracebacks.
        calibration: what looking for the fastest took; None with another placement.
        threads: of the host for each run, where placement "fastest" has chosen how many; 0: as the user or the runtimes
            say.
        digit_risks: steps that may lose digits in the type in which their delegate stores real numbers.
        errors: the errors of nodes on their delegates, where a comparison was given, see ``with_errors``.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "nodes": FormTable(("nodes",), ("name", "type", "device", "subgraph", "reason")),
        "subgraphs": FormTable(("subgraphs",)),
        "delegates": FormTable(("delegates",)),
        "alternatives": FormTable(("alternatives",)),
        "what_if": FormTable(("what_if",)),
        "errors": FormTable(("errors",)),
    }

    model: str
    delegate: str
    kernels_total: int
    kernels_delegated: int
    subgraphs: tuple[SubgraphRecord, ...]
    minimum_subgraphs: int
    minimum_proof: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]
    notes: tuple[str, ...] = ()
    inputs: tuple[TensorRecord, ...] = ()
    outputs: tuple[TensorRecord, ...] = ()
    options: PartitionOptions = field(default_factory=PartitionOptions)
    delegates: tuple[DelegateRecord, ...] = ()
    what_if: tuple[WhatIf, ...] | None = None
    removed: tuple[RemovedRecord, ...] = ()
    waiting_for_shapes: tuple[str, ...] = ()
    rewrites: tuple[RewriteRecord, ...] = ()
    failures: tuple[FailureRecord, ...] = ()
    alternatives: tuple[AlternativeRecord, ...] = ()
    cpu_groups: tuple[CpuGroupRecord, ...] = ()
    calibration: CalibrationRecord | None = None
    threads: int = 0
    digit_risks: tuple[DigitRisk, ...] = ()
    errors: tuple[NodeError, ...] = ()

    @property
    def coverage(self) -> float:
        """Share of the nodes that the delegate runs, 0 to 1."""
        return self.kernels_delegated / self.kernels_total if self.kernels_total else 0.0

    @property
    def boundary_bytes(self) -> int:
        """Bytes that cross subgraph boundaries per prediction."""
        return sum(s.boundary_bytes for s in self.subgraphs)

    @property
    def estimated_us(self) -> float | None:
        """Microseconds that the subgraphs are estimated to take together.

        None where a delegate does not say, or where that is no finite number.
        """
        estimates = [s.estimated_us for s in self.subgraphs if s.estimated_us is not None]
        is_known = estimates and len(estimates) == len(self.subgraphs) and math.isfinite(sum(estimates))
        return sum(estimates) if is_known else None

    @property
    def input_wait_us(self) -> float | None:
        """Microseconds that subgraphs are estimated to wait for input in all; None where no delegate says."""
        waits = [s.input_wait_us for s in self.subgraphs if s.input_wait_us is not None]
        return sum(waits) if waits else None

    @property
    def verdict(self) -> Verdict | None:
        """Whether delegating pays; None where nothing is delegated, or times on the CPU are not known."""
        return verdict_of(self.nodes, self.subgraphs, self.delegates, self.alternatives)

    @property
    def fallback(self) -> tuple[NodeRecord, ...]:
        """The nodes that run on the CPU."""
        return tuple(n for n in self.nodes if n.subgraph is None)

    def renamed(self) -> tuple[NodeRecord, ...]:
        """The nodes of which ``labels`` does not say all that they were in the model file: several nodes, or parts."""
        labels = self.labels()
        said = {name: [f"{label.name} ({label.type})"] for name, label in labels.items()}
        return tuple(n for n in self.nodes if n.sources and source_texts(n.sources) != said[n.name])

    def labels(self) -> Mapping[str, NodeLabel]:
        """The words for nodes that the model's file has, by the nodes' own names."""
        return labels_of(self.nodes)

    def with_errors(self, comparison: Mapping[str, Any]) -> Self:
        """The report with the errors of its nodes.

        Args:
            comparison: plain data of a comparison of the same model on the same delegates, such as
                ``ComparisonReport.to_dict`` gives. With ``CompareOptions(kernels=True)`` each node has an error of its
                own; without, the error of its subgraph.

        Raises:
            InputError: it is no comparison, one on other delegates, or one of other nodes.
        """
        delegated = {(n.graph, n.name) for n in self.nodes if n.subgraph is not None}
        return replace(self, errors=tuple(node_errors(comparison, self.delegate, delegated)))

    def errors_by_node(self) -> Mapping[tuple[str, str], NodeError]:
        """The errors by the graph and the name of their nodes."""
        return {(error.graph, error.node): error for error in self.errors}

    def query(self) -> dict[str, str]:
        """Where the nodes of the model's file run: device by name, see ``devices_of``."""
        return devices_of(self.nodes)

    def rejected_types(self) -> Counter[tuple[str, RejectCode | None, str]]:
        """The number of nodes of each operator type that stay on the CPU for each reason."""
        return Counter((n.operator, n.code, n.reason) for n in self.fallback)

    def rejections(self) -> Counter[tuple[str, RejectCode | None, str, str]]:
        """Like ``rejected_types``, with the hint as well: type, code, reason, hint."""
        return Counter((n.operator, n.code, n.reason, n.hint) for n in self.fallback)

    def _line(self) -> str:
        return f"{model_words(self.model)}{partition_line(self.nodes, self.subgraphs)}"

    def _picture(self) -> str:
        return partition_strip(self.nodes)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON; ``partition_report.schema.json`` describes it."""
        data: dict[str, Any] = {"schema_version": SCHEMA_VERSION, **to_plain(self)}
        data["coverage"] = self.coverage
        data["boundary_bytes"] = self.boundary_bytes
        data["estimated_us"] = self.estimated_us
        data["verdict"] = None if self.verdict is None else {**to_plain(self.verdict), "text": self.verdict.text}
        labels = self.labels()
        data["minimum_proof_labels"] = [_said(labels, name) for name in self.minimum_proof]
        for subgraph in data["subgraphs"]:
            subgraph["labels"] = [_said(labels, name) for name in subgraph["kernels"]]
        for row, plain in zip(self.what_if or (), data["what_if"] or (), strict=True):
            plain["bytes_delta_percent"] = row.bytes_delta_percent
            plain["time_delta_percent"] = row.time_delta_percent
        return data

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The report that ``to_dict`` made the data from. Unknown keys are left out.

        Raises:
            InputError: a key is missing, a value has another type than the schema says, or values contradict each
                other; the message says which.
        """
        try:
            _check_version(data)
            report: Self = from_plain(cls, data, "report")
        except RecursionError:
            raise InputError("report: it is nested too deeply.") from None
        _check(report)
        return report

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Like ``from_dict``, from JSON text.

        Raises:
            InputError: it is no JSON, or no report.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as e:
            raise InputError(f"report: it is no JSON: {e}.") from e
        return cls.from_dict(data)


def _said(labels: Mapping[str, NodeLabel], name: str) -> str:
    """The name of a node in the model's file, its own where it has none."""
    return labels[name].name if name in labels else name


def _check_version(data: Any) -> None:
    version = data.get("schema_version", SCHEMA_VERSION) if isinstance(data, dict) else SCHEMA_VERSION
    if type(version) is not int or version != SCHEMA_VERSION:
        raise InputError(
            f"report.schema_version: expected {SCHEMA_VERSION}, found {version!r}: another version of lite-delegate "
            f"wrote it; make the report anew."
        )


def _check(report: PartitionData) -> None:
    """Checks the rules that a schema cannot express: numbers agree with lists, and names with each other."""
    delegated = sum(n.subgraph is not None for n in report.nodes)
    if (report.kernels_total, report.kernels_delegated) != (len(report.nodes), delegated):
        raise InputError(
            f"report: {report.kernels_delegated:,} of {counted(report.kernels_total, 'kernel')} "
            "delegated by its numbers, but "
            f"{delegated} of {len(report.nodes)} by its nodes."
        )
    unknown = {n.subgraph for n in report.nodes if n.subgraph is not None} - {s.name for s in report.subgraphs}
    if unknown:
        raise InputError(f"report: nodes are in subgraph '{min(unknown)}', which is not in its list.")
