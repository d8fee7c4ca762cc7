import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.errors import InputError, LiteDelegateError
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.delegate import LOWERINGS
from lite_delegate.npu.profiles import Limits, load_profile, profile_names
from lite_delegate.npu.profiles.profile import parse_profile
from tests.npu.graphs import node, variable


@pytest.mark.parametrize("name", profile_names())
def test_packaged_profiles_can_be_read_and_name_known_operators(name):
    profile = load_profile(name)
    assert profile.name == name
    assert profile.description
    assert profile.operators is None or profile.operators <= set(LOWERINGS)
    assert NPUDelegate(name).profile == profile


def test_generic_has_every_operator_and_the_limits_of_the_original():
    profile = load_profile("generic")
    assert profile.operators is None
    assert profile.max_rank == 4
    assert profile.dtypes == {DataType.FLOAT32, DataType.FLOAT16}
    assert profile.quantised == {DataType.INT8, DataType.UINT8}
    assert profile.limits == Limits(65534, True, 1024, 1664)


@pytest.mark.parametrize("error", [LiteDelegateError, ValueError])
def test_an_unknown_profile_is_an_error_that_lists_those_that_exist(error):
    with pytest.raises(error, match=r"No NPU profile 'kirin'\. Profiles: .*generic"):
        NPUDelegate("kirin")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"operators": "all"}, "lacks description"),
        ({"description": "d", "operators": "all", "rank": 4}, "has no key rank"),
        ({"description": "d", "operators": "all", "limits": {"pool": 4}}, "has no key pool"),
        ({"description": "d", "operators": "some"}, 'must be "all" or a list'),
        ({"description": "d", "operators": "all", "dtypes": ["INT16"]}, "of INT8, UINT8, FLOAT16, FLOAT32, got INT16"),
    ],
)
def test_a_file_with_mistakes_is_refused(data, message):
    with pytest.raises(InputError, match=f"NPU profile 'bad'.*{message}"):
        parse_profile("bad", data)


def test_a_profile_decides_what_is_claimed():
    delegate = NPUDelegate()
    delegate.profile = parse_profile(
        "small",
        {"description": "d", "operators": ["AddFusion"], "dtypes": ["FLOAT16"], "max_rank": 2},
    )
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
    delegate.profile = parse_profile("free", {"description": "d", "operators": "all"})
    assert not hasattr(delegate.supports(node("MatMulFusion", [x, y], (1, 2, 2))), "code")
