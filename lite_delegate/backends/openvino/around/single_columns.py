"""Convolutions whose result is one column: OpenVINO's CPU reads wrong numbers where input columns stay unread."""

from __future__ import annotations

from typing import Any

import numpy as np


def crop_unread_columns(model: Any) -> None:
    """Takes away the columns that a convolution of one channel does not read, where its result is one column.

    OpenVINO 2026.4 takes the rows of such an image for one long row, as if it had only the columns of the window.
    With 3 windows of 3x3 over 5x4 pixels and a stride of (1, 2), all but the first are read in the wrong place.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    from openvino import opset16
    from openvino.utils import replace_node

    for node in [node for node in model.get_ordered_ops() if node.get_type_name() == "Convolution"]:
        unread, image = _unread_columns(node), node.input_value(0)
        if not unread:
            continue
        settings = node.get_attributes()
        before, behind = list(settings["pads_begin"]), list(settings["pads_end"])
        cut = max(unread - behind[-1], 0)
        behind[-1] = max(behind[-1] - unread, 0)
        if cut:
            last = np.array([image.get_shape()[-1] - cut], np.int64)
            ones = np.array([1], np.int64)
            image = opset16.slice(image, ones - 1, last, ones, np.array([-1], np.int64)).output(0)
        made = opset16.convolution(
            image, node.input_value(1), settings["strides"], before, behind, settings["dilations"]
        )
        made.set_friendly_name(node.get_friendly_name())
        replace_node(node, made)


def _unread_columns(node: Any) -> int:
    """The number of columns behind the only window of each row; 0 also where it is not known."""
    shape, weights = node.get_input_partial_shape(0), node.get_input_partial_shape(1)
    if shape.is_dynamic or weights.is_dynamic or len(shape) < 4 or shape[1] != 1 or node.get_output_shape(0)[-1] != 1:
        return 0
    settings = node.get_attributes()
    window = (node.get_input_shape(1)[-1] - 1) * settings["dilations"][-1] + 1
    padded = node.get_input_shape(0)[-1] + settings["pads_begin"][-1] + settings["pads_end"][-1]
    return int(padded - window)
