"""Primitives: defaults, immutability, and making them from plain values."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest

from lite_delegate import GraphError
from lite_delegate.ir import Format, Primitive, make_primitive
from lite_delegate.ir.primitive import Attribute
from lite_delegate.ir.primitives import (
    PRIMITIVE_CLASSES,
    BinaryCrossEntropyGrad,
    Conv2DFusion,
    DynamicQuant,
    FormatTranspose,
    FusedBatchNorm,
    GroupNormFusion,
    MaxPoolFusion,
    Softmax,
    TopKFusion,
)
from lite_delegate.ir.types.enums import ActivationType, PadMode


def test_every_operator_has_a_class_with_its_number() -> None:
    assert [cls.tag for cls in PRIMITIVE_CLASSES.values()] == list(range(1, 222))
    assert all(cls.op_type == name == cls.__name__ for name, cls in PRIMITIVE_CLASSES.items())
    assert (Conv2DFusion.tag, Softmax.tag, GroupNormFusion.tag) == (35, 138, 211)


def test_defaults_are_the_schemas() -> None:
    assert TopKFusion().attributes() == {"sorted": True, "axis": 0, "largest": 0}
    assert DynamicQuant().dst_type == 32
    assert BinaryCrossEntropyGrad().attributes() == {"reduction": "MEAN"}
    assert FormatTranspose().src_format == Format.NHWC
    assert Conv2DFusion().attributes() == {
        "format": "NCHW",
        "kernel_size": None,
        "stride": None,
        "dilation": None,
        "pad_mode": "PAD",
        "pad_list": None,
        "mode": 0,
        "group": 0,
        "in_channel": 0,
        "out_channel": 0,
        "activation_type": "NO_ACTIVATION",
    }


def test_numbers_are_rounded_to_what_the_file_holds() -> None:
    assert FusedBatchNorm().momentum == float(np.float32(0.9))
    assert FusedBatchNorm(momentum=0.9) == FusedBatchNorm()
    assert make_primitive("PriorBox", variances=[0.1]).attributes()["variances"] == (float(np.float32(0.1)),)
    assert make_primitive("Elu", alpha=1e300).attributes()["alpha"] == float("inf")


def test_plain_values_become_members_and_tuples() -> None:
    made = make_primitive("Conv2DFusion", format="NHWC", kernel_size=[3, np.int32(5)], pad_mode=1, group=np.int64(2))
    assert made == Conv2DFusion(format=Format.NHWC, kernel_size=(3, 5), pad_mode=PadMode.SAME, group=2)
    assert make_primitive("Activation", activation_type=ActivationType.RELU).attributes()["activation_type"] == "RELU"
    assert make_primitive("PadFusion", paddings=[[1, 1], (0, 2)]).attributes()["paddings"] == ((1, 1), (0, 2))
    custom = make_primitive("Custom", type="x", attr=[("a", b"1"), Attribute("b", None)])
    assert custom.attributes()["attr"] == (Attribute("a", b"1"), Attribute("b", None))
    assert make_primitive("Softmax", axis=None).attributes() == {"axis": None}


@pytest.mark.parametrize("spelling", ["global", "global_"])
def test_global_may_be_spelled_as_in_the_schema(spelling: str) -> None:
    assert make_primitive("MaxPoolFusion", **{spelling: True}) == MaxPoolFusion(global_=True)


@pytest.mark.parametrize(
    ("op_type", "attributes", "message"),
    [
        ("Conv2dFusion", {}, "No operator 'Conv2dFusion' in the schema. Did you mean 'Conv2DFusion'"),
        ("Xyzzy", {}, "No operator 'Xyzzy' in the schema[.]"),
        ("Conv", {}, "No operator 'Conv' in the schema; it is an operator of ONNX, which has another name here[.]$"),
        ("Softmax", {"axes": [1]}, "Softmax has no attribute 'axes'. Did you mean 'axis'. It has .'axis'."),
        ("Softmax", {"axis": 1}, "Softmax.axis must be tuple"),
        ("Softmax", {"axis": [1.5]}, "Softmax.axis must be tuple"),
        ("Concat", {"axis": 1.0}, "Concat.axis must be int, got 1.0"),
        ("Concat", {"axis": None}, "Concat.axis must be int, got None"),
        ("Activation", {"activation_type": "ReLU"}, "activation_type must be ActivationType, got 'ReLU'"),
        ("Activation", {"activation_type": 22}, "activation_type must be ActivationType, got 22"),
        ("Activation", {"approximate": 2}, "approximate must be bool, got 2"),
        ("Elu", {"alpha": "1"}, "Elu.alpha must be float, got '1'"),
        ("DepthToSpace", {"mode": 3}, "mode must be str . None, got 3"),
    ],
)
def test_what_does_not_fit_is_rejected(op_type: str, attributes: dict[str, object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        make_primitive(op_type, **attributes)


def test_primitives_are_values() -> None:
    softmax = Softmax(axis=(1,))
    assert softmax == Softmax(axis=(1,))
    assert hash(softmax) == hash(Softmax(axis=(1,)))
    assert softmax != Softmax(axis=(0,))
    assert make_primitive("Squeeze", axis=(1,)) != softmax
    assert repr(softmax) == "Softmax(axis=(1,))"
    assert pickle.loads(pickle.dumps(softmax)) == copy.deepcopy(softmax) == softmax


def test_primitives_cannot_be_changed_but_replaced() -> None:
    softmax = Softmax(axis=(1,))
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"cannot assign to Softmax.axis"):
        softmax.axis = (0,)
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"cannot delete Softmax.axis"):
        del softmax.axis
    assert softmax.replace(axis=(0,)) == dataclasses.replace(softmax, axis=(0,)) == Softmax(axis=(0,))
    with pytest.raises(TypeError, match="Softmax has no attribute 'axes'"):
        softmax.replace(axes=(0,))
    assert isinstance(softmax, Primitive)


def test_primitives_are_data_classes_for_those_who_ask() -> None:
    activation = make_primitive("Activation", alpha=0.5)
    names = ["activation_type", "alpha", "min_val", "max_val", "approximate"]
    for each in (activation, type(activation)):
        assert dataclasses.is_dataclass(each)
        assert [f.name for f in dataclasses.fields(each)] == names
        assert [f.default for f in dataclasses.fields(each)] == [0, 0.0, 0.0, 0.0, False]
    assert dataclasses.asdict(activation) == dict(zip(names, (0, 0.5, 0.0, 0.0, False), strict=True))
    assert [f.name for f in dataclasses.fields(Softmax)] == ["axis"]
    assert dataclasses.fields(Primitive) == ()
    assert vars(Softmax)["__match_args__"] == ("axis",)


def test_who_asks_the_base_leaves_the_operators_as_they_are() -> None:
    """In a process of its own: what classes answer is kept by them."""
    code = (
        "import dataclasses; from lite_delegate.ir import Primitive, make_primitive\n"
        "assert dataclasses.fields(Primitive) == ()\n"
        "softmax = make_primitive('Softmax', axis=[2])\n"
        "assert dataclasses.replace(softmax) == softmax, dataclasses.replace(softmax)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_does_not_import_the_classes() -> None:
    code = "import sys, lite_delegate.ir; print([m for m in sys.modules if 'primitives' in m or 'flatbuffers' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
