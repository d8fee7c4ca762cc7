"""Workarounds: forms that OpenVINO's CPU would compute wrong numbers for, written in another way."""

from __future__ import annotations

from typing import Any

from .clamps import clamp_real_numbers
from .products import part_products
from .sequences import keep_transposes, part_transposes
from .shared_reads import copy_shared_reads
from .single_columns import crop_unread_columns


def write_around(model: Any, *, is_body: bool = False) -> None:
    """Changes a model in place.

    Args:
        model: OpenVINO's.
        is_body: whether it is the body of an operator. A body is exported with the model around it, so its recurrent
            layers keep their Transposes, see ``exportable``.
    """
    copy_shared_reads(model)
    if is_body:
        keep_transposes(model)
    else:
        part_transposes(model)
    part_products(model)
    clamp_real_numbers(model)
    crop_unread_columns(model)
