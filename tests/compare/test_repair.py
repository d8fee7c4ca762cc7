"""Repairs: the nodes that must keep float32, proven on the device."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DataType,
    InputError,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.compare import CompareOptions, ComparisonReport, Repair, RepairOptions, UsableLimits, compare
from lite_delegate.compare.repair import cost_of
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, constant
from lite_delegate.npu import NPUDelegate
from tests.commands import invoke
from tests.compare import planted
from tests.compare.losing import VARIANCE, Exact, HalfDevice, built, far_from_zero, large, layer_norm, node, overflowing
from tests.compare.planted import Planted
from tests.present import present
from tests.runtime.control_graphs import node as in_loop
from tests.runtime.control_graphs import while_loop
from tests.runtime.graphs import chain, value

HALF = "tests.compare.losing:HalfDevice"
"""Computes with kernels of this process, so commands get it without isolation."""
REPAIR = CompareOptions(repair=RepairOptions())


def repaired(graph: Graph, inputs: dict[str, np.ndarray]) -> Repair:
    return present(compare(built(graph), inputs, REPAIR).repair)


def with_plan(graph: Graph, inputs: dict[str, np.ndarray], kept: Collection[str]) -> ComparisonReport:
    """The comparison of the model with nodes kept on the CPU, by the door that users have."""
    context, model = Context(), Model()
    context.set_delegate(HalfDevice())
    context.on_delegate_error = "fallback"
    context.partition = PartitionOptions(affinity=dict.fromkeys(kept, "CPU"))
    model.build_from_graph(graph, context)
    return compare(model, inputs, CompareOptions(losses=False))


def test_the_variance_is_kept_whole_and_that_is_the_minimum() -> None:
    found = repaired(layer_norm(), far_from_zero())
    assert found.reached
    assert set(found.kept) == set(VARIANCE)
    assert (found.minimal, found.minimum) == (True, True)
    assert found.affinity == dict.fromkeys(VARIANCE, "CPU")


def test_it_holds_when_the_model_is_built_with_it_and_misses_without_any_one_node() -> None:
    found = repaired(layer_norm(), far_from_zero())
    assert with_plan(layer_norm(), far_from_zero(), found.kept).usable
    for name in found.kept:
        assert not with_plan(layer_norm(), far_from_zero(), set(found.kept) - {name}).usable


def test_no_smaller_set_holds_on_the_device_either() -> None:
    """Three nodes: all sets of fewer nodes than were found are tried on the device."""
    found = repaired(overflowing(), large())
    assert found.reached
    names = [node.name for node in overflowing().nodes]
    for size in range(len(found.kept)):
        for kept in combinations(names, size):
            assert not with_plan(overflowing(), large(), kept).usable


def test_its_cost_is_that_of_the_two_plans() -> None:
    found = repaired(layer_norm(), far_from_zero())
    after = present(found.cost_after)
    record = with_model(found).get_partition()
    assert (found.cost_before.subgraphs, found.cost_before.delegated) == (1, 9)
    assert after.subgraphs == len(record.subgraphs)
    assert after.boundary_bytes == sum(each.boundary_bytes for each in record.subgraphs)
    assert after.delegated == 4
    assert after.estimated_us is None  # the device does not say


def test_times_are_the_delegate_s_estimates_and_the_rough_ones_of_the_cpu() -> None:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    context.partition = PartitionOptions(affinity=dict.fromkeys(VARIANCE, "CPU"))
    model.build_from_graph(layer_norm(), context)
    record = model.get_partition()
    device = sum(present(each.estimated_us) for each in record.subgraphs)
    host = sum(present(node.host_us) for node in record.nodes if node.subgraph is None)
    assert present(cost_of(record).estimated_us) == pytest.approx(device + host)


def with_model(repair: Repair) -> Model:
    context, model = Context(), Model()
    context.set_delegate(HalfDevice())
    context.partition = PartitionOptions(affinity=repair.affinity)
    model.build_from_graph(layer_norm(), context)
    return model


def test_a_delegate_in_float32_keeps_them_where_there_is_one() -> None:
    found = present(compare(built(layer_norm(), HalfDevice(), Exact()), far_from_zero(), REPAIR).repair)
    assert found.reached
    assert found.affinity == dict.fromkeys(VARIANCE, "exact")
    assert present(found.cost_after).delegated == 9


def test_a_delegate_that_does_not_take_them_leaves_them_to_the_cpu() -> None:
    class Picky(Exact):
        """Takes no product."""

        def supports(self, kernel: Kernel) -> Supported | Rejected:
            return Rejected(RejectCode.OPERATOR, "no products") if kernel.type == "MulFusion" else Supported()

    found = present(compare(built(layer_norm(), HalfDevice(), Picky()), far_from_zero(), REPAIR).repair)
    assert found.reached
    assert found.affinity == dict.fromkeys(VARIANCE, "CPU")
    assert any("'exact' does not take all of the nodes" in note and "no products" in note for note in found.notes)


def test_where_they_are_kept_can_be_said() -> None:
    options = CompareOptions(repair=RepairOptions(device="CPU"))
    found = present(compare(built(layer_norm(), HalfDevice(), Exact()), far_from_zero(), options).repair)
    assert set(found.affinity.values()) == {"CPU"}


def test_a_device_that_does_worse_than_rounding_gets_more_kept() -> None:
    """Its noise of 2^-10 is 60 dB below the signal, within what is granted; a single rounding is at about 70."""

    class Coarse(Planted):
        storage_dtype = DataType.FLOAT16

    x = {"x": np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3) + np.float32(1e-4)}
    noisy = {f"n{i}": lambda y: np.asarray(y * np.float32(1 + 2**-10)) for i in range(3)}
    options = CompareOptions(usable=UsableLimits(snr_db=61), repair=RepairOptions())
    found = present(compare(planted.built(chain(3), Coarse(noisy)), x, options).repair)
    assert found.reached
    assert found.kept
    assert (found.minimal, found.minimum) == (True, False)
    assert min(present(use.snr_db) for use in found.after) >= 61


def test_nodes_inside_a_loop_are_kept() -> None:
    """Each round adds the variance of numbers near 100, by E[x^2] - E[x]^2."""

    def step(i: Value, x: Value) -> list[Node]:
        axes = constant("axes", np.array([0], np.int32))
        square = in_loop("square", "MulFusion", [x, x])
        mean_square = node(
            "mean_square", "ReduceFusion", [square.outputs[0], axes], (1,), mode="ReduceMean", keep_dims=True
        )
        mean = node("mean", "ReduceFusion", [x, axes], (1,), mode="ReduceMean", keep_dims=True)
        squared = node("squared_mean", "MulFusion", [mean.outputs[0], mean.outputs[0]], (1,))
        variance = node("variance", "SubFusion", [mean_square.outputs[0], squared.outputs[0]], (1,))
        plus = node("plus", "AddFusion", [x, variance.outputs[0]], (4,))
        return [square, mean_square, mean, squared, variance, plus]

    inputs = {"n": np.array(3, np.int32), "x": np.array([100, 101, 102, 103], np.float32)}
    options = CompareOptions(usable=UsableLimits(snr_db=60), repair=RepairOptions())
    report = compare(built(while_loop(step)), inputs, options)
    found = present(report.repair)
    assert (found.reached, found.minimal) == (True, True)
    assert report.losses[0].kernel == "variance"
    assert {"square", "mean_square", "squared_mean", "variance"} == set(found.kept)


def test_what_a_delegate_s_limits_made_of_nodes_is_kept_too() -> None:
    """Tensors of rank 5 beyond the device's limit: reshapes stand around nodes, with names that the file has not."""
    shape = (1, 1, 2, 2, 8)
    x = value("x", shape)
    square = node("square", "MulFusion", [x, x], shape)
    minus = node("minus", "SubFusion", [square.outputs[0], constant("c", np.array([1e4], np.float32))], shape)
    clipped = node("clipped", "Activation", [minus.outputs[0]], shape, activation_type="RELU6")
    graph = Graph("g", [x], clipped.outputs, [square, minus, clipped])
    inputs = {"x": (100 + 0.03 * np.random.default_rng(0).random(shape)).astype(np.float32)}
    found = present(compare(built(graph, NPUDelegate("kirin")), inputs, REPAIR).repair)
    assert found.reached
    assert found.minimal


def test_it_holds_for_all_inputs_that_are_given() -> None:
    """Numbers near zero need nothing, others do: what is kept for the first is not enough for the second."""
    near = {"x": far_from_zero()["x"] - np.float32(100)}
    options = CompareOptions(repair=RepairOptions(also=(far_from_zero(),)))
    found = present(compare(built(layer_norm()), near, options).repair)
    assert (found.reached, found.samples) == (True, 2)
    assert set(found.kept) == set(VARIANCE)
    assert not found.before[0].usable
    for inputs in (near, far_from_zero()):
        assert with_plan(layer_norm(), inputs, found.kept).usable


def test_further_inputs_have_the_same_shapes() -> None:
    model = built(chain(1, (-1, 3)))
    x = {"x": np.full((2, 3), 1, np.float32)}
    options = CompareOptions(repair=RepairOptions(also=({"x": np.zeros((4, 3), np.float32)},)))
    with pytest.raises(InputError, match="expected shape"):
        compare(model, x, options)


def test_rounded_runs_leave_little_to_build() -> None:
    """One build of what they find, and one without each of its nodes; for further inputs as well."""
    near = {"x": far_from_zero()["x"] - np.float32(100)}
    for inputs, also in ((far_from_zero(), ()), (near, (far_from_zero(),))):
        options = CompareOptions(repair=RepairOptions(also=also, exhaustive=0))
        found = present(compare(built(layer_norm()), inputs, options).repair)
        assert (found.minimal, found.minimum) == (True, False)
        assert found.built == 1 + len(VARIANCE)


def test_a_higher_goal_keeps_more() -> None:
    limits = UsableLimits(snr_db=60)
    options = replace(REPAIR, usable=limits)
    found = present(compare(built(layer_norm()), far_from_zero(), options).repair)
    assert found.reached
    assert set(found.kept) > set(VARIANCE)
    assert min(present(use.snr_db) for use in found.after) >= 60


def test_what_is_usable_needs_none() -> None:
    near = {"x": far_from_zero()["x"] - np.float32(100)}
    found = repaired(layer_norm(), near)
    assert (found.reached, found.kept, found.affinity, found.built) == (True, (), {}, 0)


def test_a_wrong_device_is_not_repaired() -> None:
    x = {"x": np.ones((2, 3), np.float32)}
    report = compare(planted.built(chain(3), Planted({"n1": np.negative})), x, REPAIR)
    assert report.repair is None
    assert any("Nothing was repaired" in note and "outputs: 1 wrong" in note for note in report.notes)


def test_its_time_is_bounded_and_what_was_not_reached_is_said() -> None:
    options = CompareOptions(repair=RepairOptions(seconds=1e-9))
    report = compare(built(layer_norm()), far_from_zero(), options)
    found = present(report.repair)
    assert not found.reached
    assert found.out_of_time
    assert "its time was over" in report.to_text()
    assert not report.passed


def test_progress_is_said() -> None:
    said: list[str] = []
    compare(built(layer_norm()), far_from_zero(), CompareOptions(repair=RepairOptions(progress=said.append)))
    assert any("rounded reference runs" in text for text in said)
    assert any("on the device" in text for text in said)


def test_placements_and_modes_that_leave_no_choice() -> None:
    with pytest.raises(InputError, match=r"can keep nodes on CPU, half, got 'gpu'"):
        compare(built(layer_norm()), far_from_zero(), CompareOptions(repair=RepairOptions(device="gpu")))
    with pytest.raises(InputError, match="seconds must be more than 0"):
        RepairOptions(seconds=0)


def test_the_command_writes_a_plan_that_others_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_ms(layer_norm(), "norm.ms")
    np.savez("x.npz", x=far_from_zero()["x"])
    given = ("norm.ms", "--delegate", HALF, "--input", "x=x.npz")
    plain = invoke("compare", "--no-isolation", *given)
    assert plain.exit_code == 1
    assert "The device rounds as promised; the model does not survive it." in plain.stdout
    assert invoke("compare", "--no-isolation", *given, "--explained-only").exit_code == 0
    assert invoke("compare", "--no-isolation", *given, "--min-snr", "-40", "--min-cosine", "0").exit_code == 0
    done = invoke("compare", "--no-isolation", *given, "--repair", "plan.json", "--format", "json")
    assert done.exit_code == 0, done.output
    plan = json.loads(Path("plan.json").read_text())
    assert plan == dict.fromkeys(VARIANCE, "CPU")
    assert json.loads(done.stdout)["repair"]["affinity"] == plan
    assert "lite-delegate: repair: " in done.stderr
    for command, *more in (("compare", "--no-isolation"), ("run",), ("benchmark", "--runs", "1", "--warmup", "0")):
        assert invoke(command, *given, "--affinity", "plan.json", *more).exit_code == 0
    report = invoke("report", *given[:3], "--affinity", "plan.json", "--format", "json")
    nodes = {node["name"]: node["device"] for node in json.loads(report.stdout)["nodes"]}
    assert {name for name, device in nodes.items() if device == "CPU"} == set(VARIANCE)


@pytest.mark.parametrize("profile", ["generic", "kirin"])
def test_the_built_in_device(profile: str) -> None:
    """Whether it needs a repair is its own matter; with what is found the model is usable, or it was before."""
    found = present(compare(built(layer_norm(), NPUDelegate(profile)), far_from_zero(), REPAIR).repair)
    assert found.reached
    assert all(use.usable for use in found.after)


def test_the_command_writes_no_plan_that_misses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_ms(layer_norm(), "norm.ms")
    np.savez("x.npz", x=far_from_zero()["x"])
    given = ("norm.ms", "--delegate", HALF, "--input", "x=x.npz", "--repair", "plan.json")
    late = invoke("compare", "--no-isolation", *given, "--repair-seconds", "1e-9")
    assert late.exit_code == 1
    assert "'plan.json' was not written" in late.stdout
    assert not Path("plan.json").exists()
    nowhere = invoke("compare", "--no-isolation", *given, "--repair-device", "gpu")
    assert nowhere.exit_code == 2
    both = invoke("compare", "--no-isolation", *given, "--classes", "normed:0", "--no-classes")
    assert both.exit_code == 2
