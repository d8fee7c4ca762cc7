"""ArgMaxFusion and DetectionPostProcess: what is claimed and what is not."""

from __future__ import annotations

import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType, make_primitive
from lite_delegate.npu.profiles import Profile
from tests.npu.graphs import HostKernel, variable
from tests.npu.operators.limits import UNLIMITED, code_on, limited
from tests.npu.operators.test_gate import code_of

A, S, D, L = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.DTYPE, RejectCode.LIMIT
F32, F16, I32 = DataType.FLOAT32, DataType.FLOAT16, DataType.INT32


def largest(*outputs, x=(2, 3, 4), dtype=F32, **attributes):
    results = [variable(f"y{i}", shape, kind) for i, (shape, kind) in enumerate(outputs)]
    primitive = make_primitive("ArgMaxFusion", **attributes)
    return HostKernel("top", "ArgMaxFusion", [variable("x", x, dtype)], results, primitive)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (largest(((3, 4), I32)), None),
        (largest(((2, 3), I32), axis=-1), None),
        (largest(((3, 4), I32), axis=-3), None),
        (largest(((3, 4), I32), axis=-4), A),
        (largest(((3, 4), I32), axis=3), A),
        (largest(((1, 3, 4), I32)), S),
        (largest(((1, 3, 4), I32), keep_dims=True), None),
        (largest(((2, 3, 4), I32), top_k=2), None),
        (largest(((3, 3, 4), I32), top_k=3), A),
        (largest(((3, 4), I32), top_k=0), A),
        (largest(((3, 4), F32)), D),
        (largest(((3, 4), F32), out_max_value=True), None),
        (largest(((3, 4), F16), out_max_value=True), None),
        (largest(((3, 4), I32), out_max_value=True), D),
        (largest(((3, 4), I32), out_max_value=True, dtype=I32), None),
        (largest(((3, 4), F32), out_max_value=True, dtype=I32), D),
        (largest(((3, 4), I32), ((3, 4), F32)), None),
        (largest(((3, 4), I32), ((3, 4), F32), out_max_value=True), None),
        (largest(((3, 4), F32), ((3, 4), I32)), D),
        (largest(((3, 4), I32), ((3, 5), F32)), S),
        (largest(((3, 4), I32), ((3, 4), F32), ((3, 4), F32)), A),
        (largest(((3, 4), I32), dtype=DataType.BOOL), D),
        (largest(((), I32), x=()), A),
    ],
    ids=lambda v: "",
)
def test_largest(kernel, code):
    assert code_of(kernel) is code


PLAIN = {
    "scale": (5.0, 5.0, 10.0, 10.0),
    "max_detections": 10,
    "max_classes_per_detection": 1,
    "num_classes": 3,
    "detections_per_class": 5,
}


def detect(
    shapes=((1, 8, 4), (1, 8, 4), (8, 4)), rows=10, outputs=None, dtype=F32, profile: Profile = UNLIMITED, **more
):
    inputs = [variable(f"x{i}", shape, dtype) for i, shape in enumerate(shapes)]
    wanted = ((1, rows, 4), (1, rows), (1, rows), (1,)) if outputs is None else outputs
    results = [variable(f"y{i}", shape) for i, shape in enumerate(wanted)]
    primitive = make_primitive("DetectionPostProcess", **(PLAIN | more))
    return code_on(profile, HostKernel("boxes", "DetectionPostProcess", inputs, results, primitive))


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"scale": (1.0, 1.0, 1.0)}, A),
        ({}, {"scale": None}, A),
        ({"max_detections": 1, "rows": 1}, {"max_detections": 0, "rows": 1}, A),
        ({}, {"max_classes_per_detection": 0}, A),
        ({"num_classes": 1}, {"num_classes": 0}, A),
        ({"num_classes": 4}, {"num_classes": 5}, S),
        ({"detections_per_class": 0}, {"detections_per_class": 0, "use_regular_nms": True}, A),
        ({"max_classes_per_detection": 2, "rows": 20}, {"max_classes_per_detection": 2}, S),
        ({}, {"outputs": ((1, 10, 4), (1, 10), (1, 10))}, A),
        ({}, {"outputs": ((1, 10, 4), (1, 10), (1, 10), (2,))}, S),
        ({}, {"shapes": ((1, 8, 4), (1, 8, 4), (7, 4))}, S),
        ({}, {"shapes": ((1, 8, 4), (1, 7, 4), (8, 4))}, S),
        ({}, {"shapes": ((1, 8, 5), (1, 8, 4), (8, 4))}, S),
        ({}, {"shapes": ((2, 8, 4), (2, 8, 4), (8, 4))}, S),
        ({}, {"shapes": ((8, 4), (1, 8, 4), (8, 4))}, S),
        ({}, {"shapes": ((1, 8, 4), (1, 8, 4))}, A),
        ({}, {"dtype": DataType.UINT8}, D),
        # float16 has every whole number up to 2048
        ({"max_detections": 2048, "rows": 2048}, {"max_detections": 2049, "rows": 2049}, L),
    ],
    ids=str,
)
def test_detections(accepted, rejected, code):
    assert detect(**accepted) is None
    assert detect(**rejected) is code


def test_class_numbers_are_exact():
    def of(classes):
        return detect(shapes=((1, 2, 4), (1, 2, classes), (2, 4)), num_classes=classes)

    assert of(2049) is None
    assert of(2050) is L


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ({}, None),
        ({"use_regular_nms": True}, L),
        ({"max_classes_per_detection": 2, "rows": 20}, L),
        ({"out_quantized": True, "input_size": 300}, None),
    ],
    ids=str,
)
def test_plain_detections_only(attributes, code):
    assert detect(profile=limited(detection_plain=True), **attributes) is code
    assert detect(**attributes) is None
