"""Options: what values they take, and that names and types which are not there are said to be unknown."""

from __future__ import annotations

import copy
import pickle
from dataclasses import asdict

import pytest

from lite_delegate import InputError, PartitionOptions
from lite_delegate.partition import check_words


def test_collections_become_frozen_and_plans_are_copied() -> None:
    plan = {"a": "npu"}
    options = PartitionOptions(deny_types=["Add"], allow_names={"a"}, groups=[["a", "b"]], affinity=plan)
    plan["b"] = "CPU"
    assert options.deny_types == frozenset({"Add"})
    assert options.allow_names == frozenset({"a"})
    assert options.groups == (frozenset({"a", "b"}),)
    assert options.affinity == {"a": "npu"}


def test_options_are_data() -> None:
    options = PartitionOptions(affinity={"a": "npu"}, groups=({"a", "b"},), min_kernels=2)
    assert pickle.loads(pickle.dumps(options)) == copy.deepcopy(options) == options
    assert len({options, PartitionOptions(**asdict(options))}) == 1


@pytest.mark.parametrize(
    ("values", "error", "text"),
    [
        ({"placement": "best"}, ValueError, "placement must be one of 'count', 'cost', 'fastest', got 'best'"),
        ({"placement": None}, TypeError, "placement must be str, got NoneType None"),
        ({"min_kernels": -1}, ValueError, "min_kernels must be at least 0, or None for no limit, got -1"),
        ({"min_kernels": True}, TypeError, "min_kernels must be an int, or None for no limit, got bool True"),
        ({"max_subgraphs": 1.5}, TypeError, "max_subgraphs must be an int, or None for no limit, got float 1.5"),
        ({"max_kernels_per_subgraph": "3"}, TypeError, "max_kernels_per_subgraph must be an int"),
        ({"repair_tries": -2}, ValueError, "repair_tries must be at least 0"),
        ({"calibration_ms": 0.5}, TypeError, "calibration_ms must be an int, or None for no limit, got float 0.5"),
        ({"connected": 1}, TypeError, "connected must be bool, got int 1"),
        ({"deny_types": "Add"}, TypeError, "deny_types must be a collection of str, got 'Add'"),
        ({"deny_names": None}, TypeError, "deny_names must be a collection of str, got None"),
        ({"allow_names": [1]}, TypeError, r"allow_names must be a collection of str, got \[1\]"),
        ({"affinity": ["a"]}, TypeError, "affinity must be a mapping of node names to device names, got list"),
        ({"affinity": {"a": 1}}, TypeError, "affinity must map str to str, got 'a': 1"),
        ({"groups": ["ab"]}, TypeError, "a group must be a collection of str, got 'ab'"),
        ({"groups": 3}, TypeError, "groups must be a collection of collections of str, got 3"),
    ],
)
def test_values_of_no_meaning_are_rejected(values: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        PartitionOptions(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            PartitionOptions(deny_names={"conv_9"}),
            "deny_names: expected names of nodes, found 'conv_9'. Did you mean 'conv_1'",
        ),
        (PartitionOptions(allow_names={"zzz"}), r"allow_names: expected names of nodes, found 'zzz'\.$"),
        (PartitionOptions(groups=({"conv_1", "conv_x", "conv_y"},)), r"groups: .* found 'conv_x' \(and 1 more\)"),
        (
            PartitionOptions(deny_types={"Ad"}),
            "deny_types: expected names of operator types, found 'Ad'. Did you mean 'Add'",
        ),
        (PartitionOptions(allow_types={"Ad"}), "allow_types: expected names of operator types, found 'Ad'"),
    ],
    ids=["deny_names", "allow_names", "groups", "deny_types", "allow_types"],
)
def test_unknown_words_are_named(options: PartitionOptions, text: str) -> None:
    with pytest.raises(InputError, match=text):
        check_words(options, {"conv_1", "relu"}, {"Add", "Conv2D"})


def test_known_words_are_taken() -> None:
    check_words(PartitionOptions(deny_names={"relu"}, allow_types={"Add"}), {"conv_1", "relu"}, {"Add", "Conv2D"})
