"""Context: defaults, accepted values and errors of the ``mindspore_lite`` package."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from lite_delegate import Context, Delegate


def test_defaults() -> None:
    context = Context()
    assert context.target == ["cpu"]
    assert str(context) == "target: ['cpu']."
    assert (context.delegate, context.strict) == (None, False)
    cpu = context.cpu
    assert (cpu.precision_mode, cpu.thread_num, cpu.inter_op_parallel_num) == ("enforce_fp32", 0, 0)
    assert (cpu.thread_affinity_mode, cpu.thread_affinity_core_list) == (0, [])
    assert "thread_num: 0" in str(cpu)


def test_target_is_case_insensitive_and_falsy_means_cpu() -> None:
    context = Context()
    context.target = ["Ascend", "CPU"]
    assert context.target == ["ascend", "cpu"]
    context.target = []
    assert context.target == ["cpu"]


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        ("target", "cpu", TypeError),
        ("target", [1], TypeError),
        ("target", ["tpu"], ValueError),
        ("strict", 1, TypeError),
        ("cpu.thread_num", -1, ValueError),
        ("cpu.thread_num", 1.5, TypeError),
        ("cpu.thread_num", True, TypeError),
        ("cpu.inter_op_parallel_num", -1, ValueError),
        ("cpu.precision_mode", "fp16", ValueError),
        ("cpu.precision_mode", 16, TypeError),
        ("cpu.thread_affinity_mode", 3, ValueError),
        ("cpu.thread_affinity_core_list", (0, 1), TypeError),
        ("cpu.thread_affinity_core_list", [-1], ValueError),
        ("gpu.precision_mode", "fp8", ValueError),
        ("gpu.device_id", -1, ValueError),
        ("ascend.precision_mode", "fp8", ValueError),
        ("ascend.provider", "other", ValueError),
        ("ascend.rank_id", "0", TypeError),
        ("group_info_file", 1, TypeError),
    ],
)
def test_values_that_are_rejected(path: str, value: object, error: type[Exception]) -> None:
    context = Context()
    owner, _, name = path.rpartition(".")
    with pytest.raises(error, match=name):
        setattr(getattr(context, owner) if owner else context, name, value)


def test_inter_op_parallel_num_must_not_exceed_thread_num() -> None:
    cpu = Context().cpu
    cpu.thread_num = 2
    cpu.inter_op_parallel_num = 2
    with pytest.raises(ValueError, match="must not exceed"):
        cpu.inter_op_parallel_num = 3


def test_values_that_are_accepted() -> None:
    cpu = Context().cpu
    cpu.precision_mode = "preferred_fp16"
    cpu.thread_affinity_mode = 2
    cpu.thread_affinity_core_list = [0, 1]
    assert (cpu.precision_mode, cpu.thread_affinity_mode, cpu.thread_affinity_core_list) == (
        "preferred_fp16",
        2,
        [0, 1],
    )


def test_devices_that_are_not_here_can_be_configured() -> None:
    context = Context()
    assert (context.gpu.precision_mode, context.gpu.device_id) == ("enforce_fp32", 0)
    assert (context.gpu.rank_id, context.gpu.group_size) == (0, 1)
    assert (context.ascend.device_id, context.ascend.rank_id, context.ascend.provider) == (0, 0, "")
    context.gpu.precision_mode, context.gpu.device_id = "preferred_fp16", 1
    context.ascend.precision_mode, context.ascend.provider = "preferred_optimal", "ge"
    context.ascend.device_id, context.ascend.rank_id, context.group_info_file = 1, 2, "group.json"
    assert (context.gpu.precision_mode, context.gpu.device_id) == ("preferred_fp16", 1)
    assert (context.ascend.precision_mode, context.ascend.provider) == ("preferred_optimal", "ge")
    assert (context.ascend.device_id, context.ascend.rank_id, context.group_info_file) == (1, 2, "group.json")


def test_delegate_is_checked_and_can_be_taken_away() -> None:
    context = Context()
    delegate = Delegate()
    context.set_delegate(delegate)
    assert context.delegate is delegate
    context.set_delegate(None)
    assert context.delegate is None
    with pytest.raises(TypeError, match="delegate must be Delegate, but got str"):
        context.set_delegate("npu")


def test_threads_have_the_range_of_their_property() -> None:
    context = Context()
    context.cpu.thread_num = 1024
    with pytest.raises(ValueError, match=r"^cpu\.thread_num must be at most 1024, got 1025\.$"):
        context.cpu.thread_num = 1025
    assert context.get_property("INFERENCE_NUM_THREADS") == 1024


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda context: pickle.loads(pickle.dumps(context))])
def test_a_copy_keeps_what_was_set_and_goes_its_own_way(copied: Callable[[Context], Context]) -> None:
    context = Context()
    context.cpu.thread_num, context.strict = 3, True
    other = copied(context)
    other.strict = False
    assert (other.cpu.thread_num, other.strict, context.strict) == (3, False, True)
