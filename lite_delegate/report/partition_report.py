"""PartitionReport: the device of each node and the reason, with the forms in which it can be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..basics.data_class import dataclass
from ..mindspore.model import Model
from ..partition.what_if.what_if import MOST_TOGETHER
from ..reporting.forms import forms
from ..runtime.records.records import DelegateRecord, PartitionRecord
from .accuracy.digits import DigitRisk, digit_risks, risk_note
from .dot import report_dot
from .hints import hint_of
from .html import report_page
from .markdown import report_markdown
from .partition_data import PartitionData
from .text import report_text
from .viewers.model_explorer import model_explorer_graphs, model_explorer_node_data
from .what_if import what_if_rows


@dataclass(frozen=True, slots=True)
class PartitionReport(PartitionData):
    """The partition of a built model, see ``PartitionData``, and its forms."""

    def to_text(self) -> str:
        """The report as text, 100 columns wide where no terminal shows it."""
        return report_text(self)

    def to_markdown(self) -> str:
        """The report as Markdown with GitHub's tables."""
        return report_markdown(self)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, with a box around each subgraph."""
        return report_dot(self)

    def to_html(self) -> str:
        """The report as one HTML page that draws the graph, and that needs nothing but a browser."""
        return report_page(self)

    def to_model_explorer(self) -> str:
        """The graphs as JSON that Model Explorer opens: layers, colors of subgraphs, and all that is known of nodes."""
        return model_explorer_graphs(self)

    def to_node_data(self) -> str:
        """The time of each node on the CPU, or its error, as JSON that Model Explorer loads beside a graph."""
        return model_explorer_node_data(self)

    def to_netron(self) -> bytes:
        """The graphs as an ONNX file that Netron opens, without weights: metadata of nodes has all that is known."""
        from .viewers.netron import netron_model  # the writer of ONNX models takes long to import

        return netron_model(self)


RENDERERS = forms(
    report_text,
    markdown=report_markdown,
    dot=report_dot,
    html=report_page,
    **{"model-explorer": model_explorer_graphs, "node-data": model_explorer_node_data},
)
"""The forms of ``PartitionData``."""


def partition_report(model: Model, *, what_if: bool = False, what_if_set: int = MOST_TOGETHER) -> PartitionReport:
    """The partition of a built model, for the shapes it has now.

    Args:
        model: a built model.
        what_if: whether to find out what would change if the delegates supported what they reject. The model is
            planned anew for each rule, operator type and element type that keeps nodes away, for each node that forces
            the number of subgraphs, and for sets of several.
        what_if_set: rules, operator types and element types in a set; 1 for no sets.

    Raises:
        LiteDelegateError: the model has not been built.
    """
    record = model.get_partition()
    rows, waiting = what_if_rows(record, what_if_set) if what_if else (None, ())
    found = recorded_report(record, model.model_path_, digit_risks(model))
    return replace(found, what_if=rows, waiting_for_shapes=waiting)


def recorded_report(record: PartitionRecord, model: str, risks: Sequence[DigitRisk] = ()) -> PartitionReport:
    """The partition that a record of a plan has.

    Args:
        record: of the plan.
        model: the model's file, "" when it was not read from one.
        risks: the steps that may lose digits on the delegates.
    """
    return PartitionReport(
        model=model,
        delegate=record.delegate or "none",
        kernels_total=len(record.nodes),
        kernels_delegated=sum(n.subgraph is not None for n in record.nodes),
        subgraphs=record.subgraphs,
        minimum_subgraphs=record.minimum_subgraphs,
        minimum_proof=record.minimum_proof,
        nodes=tuple(
            replace(node, hint=node.hint or hint_of(node, record.options, record.inputs)) for node in record.nodes
        ),
        notes=tuple(filter(None, (*record.notes, *_off_device(record.delegates), risk_note(risks)))),
        inputs=record.inputs,
        outputs=record.outputs,
        options=record.options,
        delegates=record.delegates,
        failures=record.failures,
        alternatives=record.alternatives,
        cpu_groups=record.cpu_groups,
        calibration=record.calibration,
        threads=record.threads,
        removed=record.removed,
        rewrites=record.rewrites,
        digit_risks=tuple(risks),
    )


def _off_device(delegates: Sequence[DelegateRecord]) -> list[str]:
    """The devices that delegates compile for although the devices are not there."""
    return [
        f"Delegate '{each.name}' compiles off-device, for {each.off_device}: its subgraphs cannot run here."
        for each in delegates
        if each.off_device
    ]
