"""Custom operators: operators with a counterpart here, and all other operators as Custom nodes."""

from __future__ import annotations

import struct

import numpy as np

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....ir import Format
from ..conversion import Converter, OperatorConversion
from . import mediapipe
from .custom_options import integer, numbers, options_bytes

_PREDICT = struct.Struct("<if")


def custom(c: OperatorConversion) -> None:
    """An operator of ours where there is one, else Custom with the operator's name.

    A Custom node has the file's options as the attribute ``options``.
    """
    converter = CUSTOM.get(c.operator.custom)
    if converter is not None:
        converter(c)
        return
    options = options_bytes(c)
    attributes = [("options", options)] if options else []
    inputs = c.given() if c.operator.inputs else []
    c.plain_node("Custom", inputs, c.operator.outputs, type=c.operator.custom, attr=attributes)


def detection_post_process(c: OperatorConversion) -> None:
    """DetectionPostProcess. It counts rows where TensorFlow Lite counts boxes, so the count is divided behind it."""
    options = numbers(c)
    per_box = integer(options, "max_classes_per_detection", 1)
    regular = bool(options.get("use_regular_nms", False))
    rows = not regular and per_box > 1
    count = c.between(c.y(3), "rows") if rows else c.y(3)
    c.node(
        "DetectionPostProcess",
        [c.x(i) for i in range(3)],
        [c.y(0), c.y(1), c.y(2), count],
        format=Format.NHWC,
        scale=[float(options.get(f"{name}_scale", 1.0)) for name in ("h", "w", "x", "y")],
        nms_iou_threshold=float(options.get("nms_iou_threshold", 0.0)),
        nms_score_threshold=float(options.get("nms_score_threshold", 0.0)),
        max_detections=integer(options, "max_detections", 0),
        detections_per_class=integer(options, "detections_per_class", 100),
        max_classes_per_detection=per_box,
        num_classes=integer(options, "num_classes", 0),
        use_regular_nms=regular,
    )
    if rows:
        c.node("DivFusion", [count, c.constant("classes", np.array([per_box], np.float32))], c.y(3))


def audio_spectrogram(c: OperatorConversion) -> None:
    options = numbers(c)
    c.node(
        "AudioSpectrogram",
        [c.x()],
        c.y(),
        window_size=integer(options, "window_size", 0),
        stride=integer(options, "stride", 0),
        mag_square=bool(options.get("magnitude_squared", False)),
    )


def mfcc(c: OperatorConversion) -> None:
    options = numbers(c)
    c.node(
        "Mfcc",
        [c.x(), c.x(1)],
        c.y(),
        freq_upper_limit=float(options.get("upper_frequency_limit", 4000.0)),
        freq_lower_limit=float(options.get("lower_frequency_limit", 20.0)),
        filter_bank_channel_num=integer(options, "filterbank_channel_count", 40),
        dct_coeff_num=integer(options, "dct_coefficient_count", 13),
    )


def text(op_type: str) -> Converter:
    """A converter to an operator on strings that takes all operands and has no attributes."""

    def convert(c: OperatorConversion) -> None:
        c.node(op_type, c.given(), c.operator.outputs)

    return convert


def predict(c: OperatorConversion) -> None:
    """CustomPredict; its options are an int32 and a float32 side by side."""
    data = options_bytes(c)
    if len(data) != _PREDICT.size:
        raise FormatProblem(f"expected {counted(_PREDICT.size, 'byte')}, found {len(data):,}", "custom_options")
    count, threshold = _PREDICT.unpack(data)
    c.node("CustomPredict", c.given(), c.operator.outputs, output_num=count, weight_threshold=threshold)


CUSTOM: dict[str, Converter] = {
    "TFLite_Detection_PostProcess": detection_post_process,
    "AudioSpectrogram": audio_spectrogram,
    "Mfcc": mfcc,
    "Normalize": text("CustomNormalize"),
    "ExtractFeatures": text("CustomExtractFeatures"),
    "Predict": predict,
    **mediapipe.CUSTOM,
}
"""Converters by the names of custom operators."""

CONVERTERS: dict[str, Converter] = {"CUSTOM": custom}
"""Converters of this file by the schema's names."""
