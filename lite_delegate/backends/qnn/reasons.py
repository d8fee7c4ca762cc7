"""The plugin's reasons for the nodes that it leaves, read in ONNX Runtime's verbose log.

The log has a block for each group of nodes that the plugin looks at: a line that ends with ``Validation FAILED for N
nodes in OrtNodeUnit (Conv) :``, one line for each node, and a line ``REASON : ...``. A reason of the HTP's own
validation stands in a line before the block, with an error number of QNN.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_VALIDATION = re.compile(
    r"backendValidateOpConfig\(\) failed for node `([^`]*)` of type `([^`]*)` with error code (\d+)"
)
_BLOCK = re.compile(r"Validation (FAILED|PASSED) for \d+ nodes? in OrtNodeUnit \(([^)]*)\)")
_NODE = re.compile(r"^\s*Operator type: (\S*) Node name: (.*) Node index: \d+\s*$")
_REASON = re.compile(r"^\s*REASON ?: ?(.*)$")
_TRAILER = re.compile(r"\.?\w+ node `[^`]*` will not be assigned to QNN EP\.?$")
"""The end of a reason, which names the node again."""
UNSAID = "Failed to add node."
"""The plugin's reason where the HTP's own validation rejects a node."""


def read_reasons(log: str) -> Mapping[str, str]:
    """The reasons by the names of the nodes; the last reason of a node counts.

    Args:
        log: the verbose log of the making of one session.
    """
    reasons: dict[str, str] = {}
    rejected: dict[str, str] = {}
    nodes: list[str] = []
    is_open = False
    for line in log.splitlines():
        if validated := _VALIDATION.search(line):
            node, operator, code = validated.groups()
            rejected[node] = f"the HTP's validation rejects {operator} with these types and shapes (QNN error {code})"
        elif block := _BLOCK.search(line):
            is_open, nodes = block[1] == "FAILED", []
        elif is_open and (node_line := _NODE.match(line)):
            nodes.append(node_line[2])
        elif is_open and (said := _REASON.match(line)):
            why = next((rejected[node] for node in nodes if node in rejected), "")
            text = why if said[1].strip() == UNSAID and why else _plain(said[1])
            reasons.update(dict.fromkeys(nodes, text))
            is_open = False
    return reasons


def _plain(text: str) -> str:
    return _TRAILER.sub("", text.strip()).replace("`", "'").rstrip(".")
