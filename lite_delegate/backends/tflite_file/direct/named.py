"""Custom nodes that stand for a builtin operator of TensorFlow Lite (``tflite.ATAN2``), and other custom operators."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....ir.custom import INTERNAL, custom_attributes
from ..broadcasting import broadcast
from ..node import DirectNode
from ..table import Direct


def atan2(node: DirectNode) -> None:
    """ATAN2 of operands of one shape."""
    node.write("ATAN2", [spread(node, node.x(place)) for place in (0, 1)], "ATan2Options")


def bitwise_xor(node: DirectNode) -> None:
    """BITWISE_XOR."""
    broadcast(node, "BITWISE_XOR", [node.x(0), node.x(1)], "BitwiseXorOptions")


def right_shift(node: DirectNode) -> None:
    """RIGHT_SHIFT by constant steps that leave a bit of signed numbers, of operands of one shape."""
    x, steps = node.x(0), node.source(1)
    node.wanted(steps.is_const and x.dtype.startswith("int"), RejectCode.NOT_CONSTANT, "constant steps")
    bits = 8 * np.dtype(x.dtype).itemsize
    sound = bool(((steps.data >= 0) & (steps.data < bits)).all())
    node.wanted(sound, RejectCode.ATTRIBUTE, "steps within the number's bits")
    operands = [spread(node, node.x(place)) for place in (0, 1)]
    node.write("RIGHT_SHIFT", operands, "RightShiftOptions")


def spread(node: DirectNode, x: TfliteTensor) -> TfliteTensor:
    """A tensor repeated to the result's dimensions."""
    if x.shape == node.shape:
        return x
    given = x if x.rank else node.builtins.reshape(x, (1,))
    operands = [given, node.builtins.ints(node.shape)]
    return node.builtins.op("BROADCAST_TO", operands, node.shape, None, "BroadcastToOptions")


def conv_3d(node: DirectNode) -> None:
    """CONV_3D, with the options of the file that the node comes from."""
    found = custom_attributes(node.kernel.primitive) if node.kernel.primitive is not None else {}
    options = {name: value for name, value in found.items() if not name.startswith(INTERNAL)}
    x, weight = node.x(0), node.x(1)
    node.wanted(x.dtype == weight.dtype == "float32", RejectCode.DTYPE, "float32", f"is {x.dtype}")
    bias = node.x(2) if node.has(2) else node.builtins.constant(np.zeros(weight.shape[-1], np.float32))
    node.write("CONV_3D", [x, weight, bias], "Conv3DOptions", **options)


def detection_post_process(node: DirectNode) -> None:
    """TFLite_Detection_PostProcess, LiteRT's own custom operator; where it counts boxes, times the classes of each."""
    xs, outputs = node.xs(), node.kernel.outputs
    plain = all(x.dtype == "float32" for x in xs) and len(outputs) == 4 and not node.attribute("out_quantized")
    node.wanted(plain, RejectCode.DTYPE, "boxes, scores and anchors of float32, four results")
    regular, per_box = bool(node.attribute("use_regular_nms")), node.attribute("max_classes_per_detection")
    classes, overlap = node.attribute("num_classes"), node.attribute("nms_iou_threshold")
    fits = xs[1].shape[-1] - classes <= 1 and (regular or per_box <= classes) and 0 < overlap <= 1
    node.wanted(fits, RejectCode.ATTRIBUTE, "a background class at most, and a threshold above 0", f"{overlap}")
    scales = node.attribute("scale") or (1.0, 1.0, 1.0, 1.0)
    options: dict[str, int | float | bool] = {
        "max_detections": node.attribute("max_detections"),
        "max_classes_per_detection": per_box,
        "detections_per_class": node.attribute("detections_per_class"),
        "num_classes": node.attribute("num_classes"),
        "use_regular_nms": regular,
        "nms_iou_threshold": node.attribute("nms_iou_threshold"),
        "nms_score_threshold": node.attribute("nms_score_threshold"),
        **{f"{name}_scale": float(scale) for name, scale in zip("hwxy", scales, strict=True)},
    }
    made = [node.y(place) for place in range(3)]
    several = not regular and per_box > 1
    count = node.builtins.tensor("float32", outputs[3].shape) if several else node.y(3)
    node.builtins.graph.custom("TFLite_Detection_PostProcess", xs, [*made, count], options)
    if several:
        factor = node.builtins.number(per_box, "float32")
        node.builtins.graph.operator("MUL", [count, factor], [node.y(3)], "MulOptions")


WRITERS: dict[str, Direct] = {
    "tflite.ATAN2": atan2,
    "tflite.BITWISE_XOR": bitwise_xor,
    "tflite.RIGHT_SHIFT": right_shift,
    "tflite.CONV_3D": conv_3d,
    "DetectionPostProcess": detection_post_process,
}
"""Writers of this file by the names of nodes."""
