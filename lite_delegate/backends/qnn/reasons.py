"""The plugin's reasons for the nodes that it leaves, read in ONNX Runtime's verbose log.

The log has a block for each group of nodes that the plugin looks at: a line that ends with ``Validation FAILED for N
nodes in OrtNodeUnit (Conv) :``, one line for each node, and a line ``REASON : ...``. A reason of the HTP's own
validation stands in a line before the block, with an error number of QNN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_VALIDATION = re.compile(
    r"backendValidateOpConfig\(\) failed for node `([^`]*)` of type `([^`]*)` with error code (\d+)"
)
_BLOCK = re.compile(r"Validation (FAILED|PASSED) for \d+ nodes? in OrtNodeUnit \([^)]*\)")
_NODE = re.compile(r"^[^\S\n]*Operator type: \S* Node name: (.*) Node index: \d+\s*$", re.MULTILINE)
_REASON = re.compile(r"^[^\S\n]*REASON ?: ?(.*)$", re.MULTILINE)
_TRAILER = re.compile(r"\.?\w+ node `[^`]*` will not be assigned to QNN EP\.?$")
"""The end of a reason, which names the node again."""
UNSAID = "Failed to add node."
"""The plugin's reason where the HTP's own validation rejects a node."""


def read_reasons(log: str) -> Mapping[str, str]:
    """The reasons by the names of the nodes; the last reason of a node counts.

    Args:
        log: the verbose log of the making of one session.
    """
    rejected = {
        node: f"the HTP's validation rejects {operator} with these types and shapes (QNN error {code})"
        for node, operator, code in _VALIDATION.findall(log)
    }
    reasons: dict[str, str] = {}
    for nodes, said in _failed_groups(log):
        why = next((rejected[node] for node in nodes if node in rejected), "")
        reasons.update(dict.fromkeys(nodes, why if said.strip() == UNSAID and why else _plain(said)))
    return reasons


def _failed_groups(log: str) -> Iterator[tuple[list[str], str]]:
    """The groups of nodes that the plugin leaves, with the reason as it stands in the log."""
    _, *parts = _BLOCK.split(log)
    for verdict, body in zip(parts[::2], parts[1::2], strict=True):
        said = _REASON.search(body)
        if verdict == "FAILED" and said is not None:
            yield _NODE.findall(body[: said.start()]), said[1]


def _plain(text: str) -> str:
    return _TRAILER.sub("", text.strip()).replace("`", "'").rstrip(".")
