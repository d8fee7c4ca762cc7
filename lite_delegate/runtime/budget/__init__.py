"""Budget: the memory and the steps that a model may take, asked before anything is allocated."""

from .at_hand import bytes_at_hand
from .budget import DEFAULT_STEPS, Budget
from .sizes import check_describable, nbytes_of, shown_bytes
from .work import NO_WORK, KernelWork, work_of

__all__ = [
    "DEFAULT_STEPS",
    "NO_WORK",
    "Budget",
    "KernelWork",
    "bytes_at_hand",
    "check_describable",
    "nbytes_of",
    "shown_bytes",
    "work_of",
]
