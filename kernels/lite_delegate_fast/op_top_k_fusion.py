"""TopKFusion: a few elements chosen before they are sorted."""

from __future__ import annotations

from lite_delegate_kernels import Array
from lite_delegate_kernels.op_top_k_fusion import KERNEL as REFERENCE
from lite_delegate_kernels.op_top_k_fusion import top_k

from ._selection import chosen_places
from .fast_kernel import fast_form


def top_k_fusion(x: Array, k: Array, *, sorted: bool = True, axis: int = 0, largest: int = 0) -> tuple[Array, Array]:
    """As the reference kernel, to the last bit."""
    return top_k(x, k, axis, chosen_places)


KERNEL = fast_form(REFERENCE, top_k_fusion)
