"""Reports on a built model: data first, renderers beside it."""

from .accuracy.node_errors import NodeError
from .changes.diff import NodeChange, NodePlacement, NumberChange, ReportDiff, SubgraphChange, diff
from .changes.diff_markdown import DIFF_RENDERERS
from .changes.gate import Requirement, Unmet, parse_requirement, unmet
from .files import read_comparison, read_report, report_schema
from .hints import hint_of
from .partition_report import RENDERERS, PartitionReport, partition_report
from .verdict import Pays, Verdict
from .what_if import WhatIf, WhatIfKind, WhatIfPart

__all__ = [
    "DIFF_RENDERERS",
    "NodeChange",
    "NodeError",
    "NumberChange",
    "PartitionReport",
    "Pays",
    "NodePlacement",
    "RENDERERS",
    "ReportDiff",
    "Requirement",
    "SubgraphChange",
    "Unmet",
    "Verdict",
    "WhatIf",
    "WhatIfKind",
    "WhatIfPart",
    "diff",
    "hint_of",
    "parse_requirement",
    "partition_report",
    "read_comparison",
    "read_report",
    "report_schema",
    "unmet",
]
