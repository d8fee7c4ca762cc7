"""Contents of profile files, good and bad."""

from dataclasses import dataclass, fields
from typing import Any

import pytest

from lite_delegate.errors import InputError
from lite_delegate.ir import DataType
from lite_delegate.npu.profiles import OperatorLimits, parse_profile
from lite_delegate.npu.profiles.parse import TABLES
from lite_delegate.npu.profiles.schema import keys_of

BASE = {"description": "d", "operators": "all"}
LONG = "x" * 201


def parsed(**more: Any):
    return parse_profile("good", {**BASE, **more})


def rejected(**more: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse_profile("bad", {**BASE, **more})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1500
    return str(caught.value)


def test_what_is_left_out_has_its_default():
    profile = parsed()
    assert profile.operators is None
    assert profile.dtypes == {DataType.FLOAT32, DataType.FLOAT16}
    assert profile.quantized == frozenset()
    assert profile.max_rank == 4
    assert profile.limits == OperatorLimits()
    assert (profile.compute.tiles, profile.memory.dma_engines, profile.defaults.frequency) == (1, 1, 1)
    assert profile.storage == DataType.FLOAT16
    assert profile.layouts == ("NCHW", "NHWC")
    assert profile.device_type == "INTEGRATED"


def test_every_key_is_read():
    profile = parsed(
        operators=["AddFusion", "Softmax"],
        dtypes=["FLOAT16", "INT8"],
        precisions=["FLOAT32"],
        layouts=["NHWC"],
        max_rank=8,
        platform="p",
        driver_version="1.2.3",
        device_type="DISCRETE",
        limits={"matmul_max_dim": 7},
        compute={"tiles": 3, "clock_mhz": [100, 100, 250], "launch_us": 2},
        memory={"scratchpad_bytes": 4096, "dma_setup_cycles": 0},
        defaults={"frequency": 2, "latency_tiles": 3},
    )
    assert profile.operators == {"AddFusion", "Softmax"}
    assert (profile.dtypes, profile.quantized) == ({DataType.FLOAT16}, {DataType.INT8})
    assert (profile.precisions, profile.storage) == ((DataType.FLOAT32,), DataType.FLOAT32)
    assert (profile.layouts, profile.max_rank, profile.platform) == (("NHWC",), 8, "p")
    assert (profile.driver_version, profile.device_type) == ("1.2.3", "DISCRETE")
    assert profile.limits.matmul_max_dim == 7
    assert (profile.compute.tiles, profile.compute.clock_mhz) == (3, (100, 100, 250))
    assert profile.compute.launch_us == 2.0
    assert isinstance(profile.compute.launch_us, float)
    assert (profile.memory.scratchpad_bytes, profile.memory.dma_setup_cycles) == (4096, 0)
    assert (profile.defaults.frequency, profile.defaults.latency_tiles) == (2, 3)


def test_a_device_without_operators_is_a_device():
    assert parsed(operators=[]).operators == frozenset()


def test_a_limit_can_be_taken_away():
    assert parsed(limits={"matmul_max_dim": "none", "avg_pool_pad_at_most_stride": False}).limits == OperatorLimits()


@pytest.mark.parametrize("missing", ["description", "operators"])
def test_keys_that_must_be_there(missing):
    with pytest.raises(InputError, match=f"NPU profile 'bad' lacks {missing}"):
        parse_profile("bad", {key: value for key, value in BASE.items() if key != missing})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"rank": 4}, "has an unknown key 'rank'. Did you mean 'max_rank'?"),
        ({"name": "x"}, "unknown key 'name'. Known: compute, defaults, description,"),
        ({"storage": "FLOAT16"}, "unknown key 'storage'"),
        ({"limits": {"pool": 4}}, "unknown key in [limits]: 'pool'."),
        ({"compute": {"tile": 4}}, "unknown key in [compute]: 'tile'. Did you mean 'tiles'"),
        ({"description": 4}, "'description' must be text of 0 to 200 characters, got 4"),
        ({"description": LONG}, "'description' must be text of 0 to 200 characters, got 'xxx"),
        ({"description": "a\nb"}, r"'description' must be one line of text, got 'a\nb'"),
        ({"operators": "some"}, "'operators' must be a list of 1 to 1000 items"),
        ({"operators": {"Add": 1}}, "'operators' must be a list"),
        ({"operators": [4]}, "'operators' must be a list"),
        ({"operators": [["AddFusion"]]}, "'operators' must be a list"),
        ({"operators": ["Conv"]}, "'Conv'. It is an operator of ONNX: give its name in the .ms format. Known: Abs,"),
        ({"operators": ["AddFusio"]}, "'bad' has unknown operators: 'AddFusio'. Did you mean 'AddFusion'"),
        ({"operators": ["Add"] * 1001}, "'operators' must be a list of 1 to 1000 items"),
        ({"dtypes": []}, "'dtypes' must be a list of 1"),
        ({"dtypes": ["INT16"]}, "unknown dtypes: 'INT16'. Did you mean 'INT8'"),
        ({"dtypes": "INT8"}, "'dtypes' must be a list"),
        ({"precisions": ["INT8"]}, "unknown precisions: 'INT8'. Known: FLOAT16, FLOAT32."),
        ({"layouts": ["CHWN"]}, "unknown layouts: 'CHWN'. Did you mean"),
        ({"device_type": "USB"}, "unknown device_type: 'USB'. Known: DISCRETE, INTEGRATED."),
        ({"max_rank": 0}, "'max_rank' must be an integer from 1 to 8, got 0"),
        ({"max_rank": 9}, "'max_rank' must be an integer from 1 to 8, got 9"),
        ({"max_rank": 4.0}, "'max_rank' must be an integer from 1 to 8, got 4.0"),
        ({"max_rank": True}, "'max_rank' must be an integer from 1 to 8, got True"),
        ({"max_rank": "none"}, "'max_rank' must be an integer from 1 to 8, got 'none'"),
        ({"driver_version": "1.x"}, "'driver_version': A driver version must be numbers between dots"),
        ({"driver_version": "9" * 201}, "'driver_version' must be text of 0 to 200 characters"),
        ({"limits": 4}, "'limits' must be a table, got 4"),
        ({"limits": [{}]}, "'limits' must be a table, got [{}]"),
        ({"limits": {"matmul_max_dim": -1}}, "[limits]: 'matmul_max_dim' must be an integer from 0 to"),
        ({"limits": {"matmul_max_dim": 2**53 + 1}}, "'matmul_max_dim' must be an integer from 0 to 9007199254740992,"),
        ({"memory": {"scratchpad_bytes": 1023}}, "must be an integer from 1024 to 4294967296, got 1023"),
        ({"limits": {"avg_pool_pad_at_most_stride": 1}}, "'avg_pool_pad_at_most_stride' must be true or false, got 1"),
        ({"limits": {"gather_many_since": "new"}}, "[limits]: 'gather_many_since': A driver version must be"),
        (
            {"limits": {"Conv2DFusio": {}}},
            "an unknown operator in [limits]: 'Conv2DFusio'. Did you mean 'Conv2DFusion'",
        ),
        (
            {"limits": {"Conv2DFusion": {"max_kernl": 7}}},
            "[limits.Conv2DFusion]: 'max_kernl'. Did you mean 'max_kernel'",
        ),
        ({"limits": {"any": {"max_kernel": 0}}}, "[limits.any]: 'max_kernel' must be an integer from 1 to"),
        ({"limits": {"any": {"ranks": []}}}, "[limits.any]: 'ranks' must be a list of 1 to 1000 items"),
        ({"limits": {"any": {"dtypes": ["FLOAT23"]}}}, "dtypes in [limits.any]: 'FLOAT23'. Did you mean 'FLOAT32'"),
        ({"limits": {"Activation": {"activations": ["RELU7"]}}}, "[limits.Activation]: 'RELU7'. Did you mean 'RELU'"),
        ({"limits": {"any": {"driver_since": "x"}}}, "[limits.any]: 'driver_since': A driver version must be"),
        ({"limits": {"max_kernel": 7}}, "unknown key in [limits]: 'max_kernel'"),
        ({"presence": {"socs": 7}}, "unknown key in [presence]: 'socs'. Did you mean 'soc'"),
        ({"presence": {"driver_since": "new"}}, "[presence]: 'driver_since': A driver version must be"),
        ({"compute": {"tiles": 0}}, "[compute]: 'tiles' must be an integer from 1 to 64, got 0"),
        ({"compute": {"tiles": 65}}, "[compute]: 'tiles' must be an integer from 1 to 64, got 65"),
        ({"compute": {"tiles": "none"}}, "[compute]: 'tiles' must be an integer from 1 to 64, got 'none'"),
        ({"compute": {"clock_mhz": []}}, "'clock_mhz' must be a list of 1 to 1000 items"),
        ({"compute": {"clock_mhz": 600}}, "'clock_mhz' must be a list of 1 to 1000 items"),
        ({"compute": {"clock_mhz": [600, 0]}}, "'clock_mhz' must be a list of 1 to 1000 items"),
        ({"compute": {"clock_mhz": [600, 500]}}, "'clock_mhz' must not fall from level to level, got (600, 500)"),
        ({"compute": {"launch_us": float("nan")}}, "'launch_us' must be a number from 0 to 1000000, got nan"),
        ({"compute": {"launch_us": float("inf")}}, "'launch_us' must be a number from 0 to 1000000, got inf"),
        ({"compute": {"launch_us": True}}, "'launch_us' must be a number from 0 to 1000000, got True"),
        ({"memory": {"dram_bytes": 2**40 + 1}}, "'dram_bytes' must be an integer from 1048576 to 1099511627776"),
        ({"memory": {"scratchpad_bytes": 1023}}, "'scratchpad_bytes' must be an integer from 1024 to"),
        ({"defaults": {"frequency": 2}}, "[defaults]: 'frequency' may be 1 at most, as many as there are levels"),
        ({"defaults": {"latency_tiles": 2}}, "'latency_tiles' may be 1 at most, as many as there are tiles, got 2"),
        ({"defaults": {"throughput_tiles": 2}}, "'throughput_tiles' may be 1 at most"),
        ({"defaults": {"latency_dma_engines": 2}}, "'latency_dma_engines' may be 1 at most"),
        ({"defaults": {"throughput_dma_engines": 2}}, "'throughput_dma_engines' may be 1 at most"),
        ({"defaults": {"throughput_requests": 0}}, "'throughput_requests' must be an integer from 1 to 1024, got 0"),
    ],
)
def test_mistakes_are_named_with_what_is_expected_and_what_is_there(more, message):
    text = rejected(**more)
    assert text.startswith("NPU profile 'bad'")
    assert message in text


def test_deep_and_long_values_are_shown_short():
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    assert len(rejected(max_rank=deep)) < 300
    assert len(rejected(max_rank=list(range(10_000)))) < 300
    assert len(rejected(**{"k" * 10_000: 1})) < 500


@pytest.mark.parametrize("table", TABLES.values())
def test_every_field_of_the_data_classes_is_a_key(table):
    assert list(keys_of(table)) == [field.name for field in fields(table)]


def test_a_field_that_no_file_can_hold_is_a_mistake_of_ours():
    @dataclass(frozen=True)
    class Table:
        weights: dict[str, int] | None = None

    with pytest.raises(TypeError, match="No profile can hold field 'weights'"):
        keys_of(Table)
