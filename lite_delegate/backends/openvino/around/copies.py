"""Copies of values without which OpenVINO's CPU computes wrong numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def copied(value: Any) -> Any:
    """A copy of a value: rolled by nothing, which OpenVINO does not leave out."""
    from openvino import opset16

    first = np.array([0], np.int64)
    if value.get_partial_shape().rank == 0:
        return opset16.squeeze(copied(opset16.unsqueeze(value, first).output(0)), first).output(0)
    return opset16.roll(value, np.array([0], np.int64), first).output(0)
