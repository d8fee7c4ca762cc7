"""Rewrites of what is handed over: forms that a backend runs faster, and does not find by itself."""

from .attention import Attention, attentions
from .projection import Projection
from .recorder import Handle, Recorder, Written, constant_term, written_by
from .rewritten import Rewrite, write_run

__all__ = [
    "Attention",
    "Handle",
    "Projection",
    "Recorder",
    "Rewrite",
    "Written",
    "attentions",
    "constant_term",
    "write_run",
    "written_by",
]
