"""The packaged profiles, and what a profile decides."""

from dataclasses import replace

import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.operators.claims import OPERATORS
from lite_delegate.npu.options import Options
from lite_delegate.npu.profiles import OperatorLimits, Profile, load_profile, parse_profile, profile_names
from lite_delegate.npu.profiles.operators import known_operators
from tests.npu.graphs import node, variable

# The table of operators of the original's delegate: one line per row of its documentation.
ORIGINAL_OPERATORS = [
    "Activation",
    "Abs",
    "ArgMaxFusion",
    "AddFusion",
    "SubFusion",
    "DivFusion",
    "MulFusion",
    "FloorMod",
    "FloorDiv",
    "Maximum",
    "Minimum",
    "NotEqual",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "LogicalAnd",
    "LogicalOr",
    "Equal",
    "Less",
    "Ceil",
    "Cos",
    "Floor",
    "Log",
    "LogicalNot",
    "Neg",
    "Reciprocal",
    "Round",
    "Rsqrt",
    "Sin",
    "Sqrt",
    "Square",
    "ExpFusion",
    "AvgPoolFusion",
    "MaxPoolFusion",
    "FusedBatchNorm",
    "Cast",
    "Concat",
    "Conv2DFusion",
    "Conv2dTransposeFusion",
    "CropAndResize",
    "Eltwise",
    "ExpandDims",
    "Flatten",
    "FullConnection",
    "Gather",
    "InstanceNorm",
    "MatMulFusion",
    "PadFusion",
    "ReduceFusion",
    "Reshape",
    "Resize",
    "ScaleFusion",
    "SliceFusion",
    "Softmax",
    "Split",
    "Squeeze",
    "StridedSlice",
    "TileFusion",
    "Transpose",
    "Unsqueeze",
    "Unstack",
    "BroadcastTo",
]


@pytest.mark.parametrize("name", profile_names())
def test_packaged_profiles_can_be_read_and_name_known_operators(name):
    profile = load_profile(name)
    assert profile.name == name
    assert profile.description
    assert profile.platform
    assert profile.operators is None or profile.operators <= set(known_operators())
    assert profile.operators is None or profile.operators & set(OPERATORS)
    assert NPUDelegate(name).profile == profile


def test_the_packaged_profiles():
    assert profile_names() == ("generic", "hddl", "kirin", "myriad_x", "npu3720", "npu4000")


def test_generic_has_every_operator_and_the_limits_of_the_original():
    profile = load_profile("generic")
    assert profile.operators is None
    assert profile.max_rank == 4
    assert profile.dtypes == {DataType.FLOAT32, DataType.FLOAT16}
    limits = profile.limits
    assert limits.avg_pool_max_input_area == 65534
    assert limits.avg_pool_pad_at_most_stride
    assert limits.matmul_max_dim == 1024
    assert limits.mul_broadcast_max_area == 1664


def test_kirin_has_the_operators_and_frequency_levels_of_the_original():
    profile = load_profile("kirin")
    assert len(ORIGINAL_OPERATORS) == 62
    assert profile.operators == frozenset(ORIGINAL_OPERATORS)
    assert len(profile.compute.clock_mhz) == 4
    assert profile.defaults.frequency == 3


@pytest.mark.parametrize(("name", "tops"), [("npu3720", 11.5), ("npu4000", 48.0)])
def test_integer_arithmetic_is_as_fast_as_announced(name, tops):
    compute = load_profile(name).compute
    computed = 2 * compute.tiles * compute.int8_macs * max(compute.clock_mhz) * 1e6 / 1e12
    assert computed == pytest.approx(tops, rel=0.005)


def test_the_half_precision_arithmetic_of_the_vision_processor_is_as_fast_as_announced():
    compute = load_profile("myriad_x").compute
    assert 2 * compute.tiles * compute.float16_macs * max(compute.clock_mhz) * 1e6 / 1e12 == pytest.approx(
        1.0, rel=0.005
    )


def test_the_vision_processor_has_no_integers_and_pads_four_dimensions_only():
    profile = load_profile("myriad_x")
    assert profile.quantized == frozenset()
    assert profile.precisions == (DataType.FLOAT16,)
    assert profile.limits.pad_only_rank == 4


def test_a_profile_decides_what_is_claimed():
    delegate = NPUDelegate()
    small = {"description": "d", "operators": ["AddFusion"], "dtypes": ["FLOAT16"], "max_rank": 2}
    delegate.options = Options.of(parse_profile("small", small))
    flat, deep = variable("x", (2, 3), DataType.FLOAT16), variable("x", (1, 2, 3), DataType.FLOAT16)

    def code(x, op_type="AddFusion", dtype=DataType.FLOAT16):
        return getattr(delegate.supports(node(op_type, [x, x], x.shape, dtype)), "code", None)

    assert code(flat) is None
    assert code(deep) is RejectCode.RANK
    assert code(variable("x", (2, 3)), dtype=DataType.FLOAT32) is RejectCode.DTYPE
    assert code(flat, "SubFusion") is RejectCode.OPERATOR


def test_limits_that_are_left_out_do_not_exist():
    delegate = NPUDelegate()
    x, y = variable("x", (1, 2, 3000)), variable("y", (1, 3000, 2))
    assert getattr(delegate.supports(node("MatMulFusion", [x, y], (1, 2, 2))), "code", None) is RejectCode.LIMIT
    delegate.options = Options.of(parse_profile("free", {"description": "d", "operators": "all"}))
    assert delegate.profile.limits == OperatorLimits()
    assert not hasattr(delegate.supports(node("MatMulFusion", [x, y], (1, 2, 2))), "code")


def test_profiles_are_values():
    profile: Profile = load_profile("generic")
    assert profile == load_profile("generic")
    assert replace(profile, max_rank=3) != profile
    assert hash(profile) == hash(load_profile("generic"))
