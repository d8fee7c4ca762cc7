"""The operators that a profile may name."""

from __future__ import annotations

from collections.abc import Collection

CTC_GREEDY_DECODER = "org.openvinotoolkit.CTCGreedyDecoder"
CUSTOM_OPERATORS = (CTC_GREEDY_DECODER,)
"""Types of Custom nodes that the NPU has."""


def known_operators() -> Collection[str]:
    """The operators of the schema, and the types of Custom nodes that the NPU has."""
    from ...ir.primitives import PRIMITIVE_CLASSES

    return (*PRIMITIVE_CLASSES, *CUSTOM_OPERATORS)
