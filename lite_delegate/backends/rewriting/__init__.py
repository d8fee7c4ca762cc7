"""Rewriting: forms that a backend runs faster and does not find by itself, in place of the lowered operators."""

from .attention import AttentionMatch, attentions
from .projection import Projection
from .recorder import Handle, Recorder, WrittenOperator, constant_term, written_by
from .rewritten import Rewrite, write_run

__all__ = [
    "AttentionMatch",
    "Handle",
    "Projection",
    "Recorder",
    "Rewrite",
    "WrittenOperator",
    "attentions",
    "constant_term",
    "write_run",
    "written_by",
]
