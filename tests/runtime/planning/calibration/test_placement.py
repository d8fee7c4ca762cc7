"""Placement by gain through the runtime: where the times come from, what is chosen, what the records say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DelegateBuildError,
    DelegateModel,
    DeviceEstimate,
    InputError,
    Kernel,
    LayerEstimate,
    Model,
    PartitionOptions,
    PlacementError,
    RejectCode,
    Tensor,
)
from lite_delegate.ir import Graph, Node, constant
from lite_delegate.mindspore.context.context_settings import settings_of
from lite_delegate.partition.placement import KernelTimes
from lite_delegate.runtime.planning.calibration.calibration import calibrate
from lite_delegate.runtime.planning.shapes.inferring import InferredModel
from lite_delegate.testing.delegates import NamedDelegate
from tests.present import present
from tests.runtime.graphs import binary, chain, value
from tests.runtime.timed import Clock, Clocked, EstimatedKernel, Estimating, releases

DEVICE = {"n0": 1.0, "n1": 5.0, "n2": 1.0, "n3": 40.0}


def built(graph: Graph, delegate: NamedDelegate, times: KernelTimes | str | None, options: PartitionOptions) -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.partition = options
    context.kernel_times = times
    model = Model()
    model.build_from_graph(graph, context)
    return model


def calibrated(delegate: NamedDelegate, graph: Graph, **host_us: float) -> KernelTimes:
    times = model_of(graph, delegate).calibrate(runs=1)
    return replace(times, host_us=dict(host_us)) if host_us else times


def model_of(graph: Graph, delegate: NamedDelegate) -> Model:
    return built(graph, delegate, None, PartitionOptions())


COST = PartitionOptions(placement="cost")
HOST = {"n0": 30.0, "n1": 4.0, "n2": 30.0, "n3": 20.0}


def test_the_device_keeps_what_pays() -> None:
    # n3 loses: 20 us on the CPU against 40. n1 is 1 us slower on the device, which two more transfers would not repay.
    delegate = Estimating(DEVICE)
    model = built(chain(4), delegate, calibrated(delegate, chain(4), **HOST), COST)
    record = model.get_partition()
    assert [(n.name, n.device) for n in record.nodes] == [
        ("n0", "estimating"),
        ("n1", "estimating"),
        ("n2", "estimating"),
        ("n3", "CPU"),
    ]
    lost = record.nodes[3]
    assert lost.code is RejectCode.COST
    # The output of n2 (3 us) crosses because n3 is on the CPU; the model's output (2 us) would if it was not.
    assert (
        lost.reason
        == "CPU 20.0 us + transfers 3.0 us, device 40.0 us + transfers 2.0 us (CPU measured, device estimated)"
    )
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(model.predict({"x": x})[0].data, x + 1 + 2 + 3 + 4)


def test_records_say_what_it_came_to() -> None:
    delegate = Estimating(DEVICE)
    record = built(chain(4), delegate, calibrated(delegate, chain(4), **HOST), COST).get_partition()
    placement = record.delegates[0].placement
    assert placement is not None
    assert placement.cpu_us == 84
    assert placement.claimed_us == pytest.approx(7 + 2 + (1 + 5 + 1 + 40) + 2)
    chosen = 7 + 2 + (1 + 5 + 1) + 3
    assert placement.chosen_us == pytest.approx(chosen + 20)
    assert record.subgraphs[0].saved_us == pytest.approx(64 - chosen)
    assert (placement.host_source, placement.device_source, placement.transfer_source) == (
        "measured",
        "estimate",
        "estimate",
    )


def test_placement_by_count_takes_everything_and_says_nothing_of_times() -> None:
    record = built(chain(4), Estimating(DEVICE), None, PartitionOptions()).get_partition()
    assert len(record.subgraphs[0].kernels) == 4
    assert record.subgraphs[0].saved_us is None
    assert record.delegates[0].placement is None


def test_without_stored_times_they_are_measured_and_estimated_and_the_notes_say_so() -> None:
    record = built(chain(4), Estimating(dict.fromkeys(DEVICE, 1e9)), None, COST).get_partition()
    assert {n.code for n in record.nodes} == {RejectCode.COST}
    assert "CPU times were measured now" in record.notes[0]
    assert "device times are the delegate's estimates" in record.notes[0]


def test_what_the_user_puts_on_the_device_stays_there() -> None:
    options = replace(COST, affinity={"n3": "estimating"})
    delegate = Estimating(DEVICE)
    record = built(chain(4), delegate, calibrated(delegate, chain(4), **HOST), options).get_partition()
    assert {n.device for n in record.nodes} == {"estimating"}


@pytest.mark.parametrize(
    "options",
    [{"deny_names": {"n1"}}, {"allow_types": set()}, {"groups": [{"n0", "n1"}], "deny_names": {"n1"}}],
    ids=["denied", "not allowed", "group"],
)
def test_what_lists_and_groups_keep_off_the_device_needs_no_estimates(options: dict[str, Any]) -> None:
    record = built(chain(4), Estimating(dict.fromkeys(DEVICE, 0.0)), None, replace(COST, **options)).get_partition()
    assert next(n.code for n in record.nodes if n.name == "n1") == RejectCode.POLICY


def test_a_plan_for_what_a_list_keeps_off_the_device_is_rejected_with_the_reason() -> None:
    options = replace(COST, affinity={"n1": "estimating"}, deny_names=frozenset({"n1"}))
    with pytest.raises(PlacementError, match=r"'n1' .* cannot run on 'estimating': POLICY: node 'n1' is in deny_names"):
        built(chain(4), Estimating(DEVICE), None, options)


def test_graph_kernels_made_for_estimates_are_neither_prepared_nor_released() -> None:
    delegate = Estimating(DEVICE)
    model = model_of(chain(4), delegate)
    model.calibrate(runs=1)
    assert releases(delegate) == [0, 0]
    assert [kernel.prepared for kernel in delegate.made] == [1, 0]


@pytest.mark.parametrize("field", ["model", "shapes", "delegate_version", "threads"])
def test_times_of_something_else_are_rejected(field: str) -> None:
    delegate, graph = Estimating(DEVICE), chain(4)
    times = calibrated(delegate, graph)
    context = Context()
    context.set_delegate(delegate)
    context.partition, context.kernel_times = COST, times
    if field == "model":
        graph = Graph("main", graph.inputs, graph.outputs, [*graph.nodes[:-1], with_other_constant(graph)])
    elif field == "shapes":
        graph = chain(4, shape=(5, 3))
    elif field == "delegate_version":
        delegate.release = "2"
    else:
        context.cpu.thread_num = 3
    with pytest.raises(InputError, match=f"made for something else: {field} is"):
        Model().build_from_graph(graph, context)


def with_other_constant(graph: Graph) -> Node:
    """The last node of a chain, which adds something else."""
    node = graph.nodes[-1]
    made = binary(node.name, present(node.inputs[0]), constant("c3", np.full((1,), 99, np.float32)))
    made.outputs[:] = node.outputs
    return made


def test_times_of_another_model_in_a_file_are_rejected(tmp_path: Path) -> None:
    delegate = Estimating(DEVICE)
    path = tmp_path / "times.json"
    path.write_text(calibrated(delegate, chain(3)).to_json(), encoding="utf-8")
    with pytest.raises(InputError, match=r"times\.json' were made for something else: model is"):
        built(chain(4), delegate, str(path), COST)


def test_times_without_a_claimed_kernel_are_rejected() -> None:
    delegate = Estimating(DEVICE)
    times = calibrated(delegate, chain(4), n0=1.0, n1=1.0, n2=1.0)
    with pytest.raises(InputError, match="There is no time for 'n3'"):
        built(chain(4), delegate, times, COST)


def test_a_delegate_that_does_not_estimate_has_to_be_calibrated() -> None:
    with pytest.raises(InputError, match=r"does not estimate the times of its kernels.*lite-delegate calibrate"):
        built(chain(2), NamedDelegate(), None, COST)


def test_a_kernel_that_the_cpu_lacks_cannot_be_measured() -> None:
    x, y = value("x"), value("y")
    node = binary("n0", x, y)
    graph = Graph("main", [x, y], [node.outputs[0]], [node])
    delegate = Estimating({"n0": 1.0})
    context = Context()
    context.set_delegate(delegate)
    inferred = InferredModel(graph, {}, settings_of(context))
    graphs, state = inferred.bind(), inferred.state
    graphs[0].kernels[0].function = None
    with pytest.raises(InputError, match=r"The CPU has no kernel for 'n0' \(AddFusion\)"):
        calibrate(graphs, state, settings_of(context), 1, [])


def test_host_times_are_those_of_the_clock() -> None:
    context = Context()
    context.set_delegate(Estimating(DEVICE))
    inferred = InferredModel(chain(4), {}, settings_of(context))
    graphs, state = inferred.bind(), inferred.state
    times = calibrate(graphs, state, settings_of(context), 3, [], Clock(ticks=True))
    assert times.host_us == dict.fromkeys(DEVICE, 1.0)
    assert times.device_us == pytest.approx(DEVICE)
    assert times.launch_us == 7
    assert (times.host_source, times.device_source) == ("measured", "estimate")
    assert times.transfer_us == {"input:0": 2.0, "n0:0": 3.0, "n1:0": 3.0, "n2:0": 3.0, "n3:0": 2.0}


def test_a_real_device_is_measured_in_pieces() -> None:
    clock = Clock()
    us = {f"n{i}": float(3 * i + 1) for i in range(8)}
    context = Context()
    context.set_delegate(Clocked(us, clock))
    sizes = chain(8, shape=(40, 50))
    # Two readers of one tensor, so that not every piece has as many bytes at its boundary.
    last = sizes.outputs[0]
    wide = binary("wide", last, sizes.nodes[2].outputs[0])
    graph = Graph("main", sizes.inputs, [wide.outputs[0]], [*sizes.nodes, wide])
    us["wide"] = 11.0
    inferred = InferredModel(graph, {}, settings_of(context))
    graphs, state = inferred.bind(), inferred.state
    times = calibrate(graphs, state, settings_of(context), 3, [], clock)
    assert (times.device_source, times.transfer_source) == ("measured", "measured")
    assert times.device_us == pytest.approx(us, abs=1e-3)
    assert times.launch_us == pytest.approx(7, abs=1e-3)
    assert times.transfer_us["n0:0"] == pytest.approx(40 * 50 * 4 / 1000, abs=1e-3)
    assert times.source == "all measured"


def test_what_a_device_cannot_load_is_released_and_takes_nothing() -> None:
    class Full(EstimatedKernel):
        def prepare(self) -> None:
            super().prepare()
            if len(self.kernels) == 4:
                raise DelegateBuildError("the device is full")

    class Device(Clocked):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            kernel = Full(f"Group{len(self.made)}", model.boundary_of(run), run, DEVICE)
            self.made.append(kernel)
            return kernel

    delegate = Device(DEVICE, Clock(ticks=True))
    model = model_of(chain(4), delegate)
    assert set(model.calibrate(runs=1).device_us) == set(DEVICE)
    assert {kernel.prepared for kernel in delegate.made} == {1}
    # Building for good: the whole, then halves, which stay. Measuring: the whole, halves, single kernels.
    assert [len(kernel.kernels) for kernel in delegate.made] == [4, 2, 2, 4, 2, 2, 1, 1, 1, 1]
    assert releases(delegate) == [1, 0, 0, 1, 1, 1, 1, 1, 1, 1]


def test_calibration_needs_one_delegate() -> None:
    model = Model()
    model.build_from_graph(chain(1))
    with pytest.raises(InputError, match="Calibration needs one delegate, the context has 0"):
        model.calibrate()


def test_nothing_is_calibrated_where_nothing_is_claimed() -> None:
    with pytest.raises(InputError, match="claims no kernel of the model"):
        calibrated(Estimating({}, names=[]), chain(2))


def test_context_takes_times_or_a_path(tmp_path: Path) -> None:
    context = Context()
    context.kernel_times = tmp_path / "t.json"
    assert context.kernel_times == str(tmp_path / "t.json")
    with pytest.raises(TypeError, match="kernel_times must be KernelTimes or a path, but got int"):
        context.kernel_times = 3  # type: ignore[assignment]


class Overlapping(Estimating):
    """Its device does n0 and n1 in one step, n2 beside them; n3 became part of another step."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        layers = (LayerEstimate("a", "Do", ("n0", "n1"), 12.0), LayerEstimate("b", "Do", ("n2",), 8.0))
        estimate = DeviceEstimate(7 + 4 + 10, layers=layers, launch_us=7, input_us=(2.0,), output_us=(2.0,))
        kernel.estimate = lambda: estimate  # type: ignore[method-assign]
        return kernel


def test_steps_are_shared_out_and_scaled_to_what_the_run_takes() -> None:
    # The steps count 20 us, side by side they take 10: half of each. n0 and n1 have the same of their step.
    times = calibrated(Overlapping(DEVICE), chain(4))
    assert times.device_us == pytest.approx({"n0": 3.0, "n1": 3.0, "n2": 4.0, "n3": 0.0})


class Wrong(Estimating):
    """Estimates whatever it is told."""

    def __init__(self, estimate: DeviceEstimate, transfer_us: float = 3.0) -> None:
        super().__init__(DEVICE)
        self.estimate, self.transfer_us = estimate, transfer_us

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        if self.transfer_us == 0:
            raise KeyError("no bus")
        return self.transfer_us

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        kernel.estimate = lambda: self.estimate  # type: ignore[method-assign]
        return kernel


LAYERS = (LayerEstimate("a", "Do", ("n0", "n1"), 12.0),)


@pytest.mark.parametrize(
    ("estimate", "transfer_us", "message"),
    [
        (DeviceEstimate(10.0), 3.0, "does not estimate the times of its kernels"),
        (DeviceEstimate(math.nan, layers=LAYERS), 3.0, "takes nan us"),
        (DeviceEstimate(math.inf, layers=LAYERS), 3.0, "takes inf us"),
        (DeviceEstimate(10.0, layers=LAYERS, launch_us=math.nan), 3.0, "takes nan us"),
        (DeviceEstimate(10.0, layers=LAYERS), -1.0, "takes -1.0 us"),
        (DeviceEstimate(10.0, layers=LAYERS), 0.0, "estimating a transfer failed: 'no bus'"),
    ],
)
def test_estimates_that_cannot_be_are_rejected(estimate: DeviceEstimate, transfer_us: float, message: str) -> None:
    with pytest.raises(InputError, match=f"'estimating'.*{message}.*lite-delegate calibrate"):
        built(chain(2), Wrong(estimate, transfer_us), None, COST)


def test_nodes_that_became_part_of_transfers_take_nothing() -> None:
    copies = (LayerEstimate("in", "CopyIn", (), 0.1), LayerEstimate("out", "CopyOut", (), 0.2))
    estimate = DeviceEstimate(7.0 + 0.1 + 0.2, layers=copies, launch_us=7.0, input_us=(0.1,), output_us=(0.2,))
    times = calibrated(Wrong(estimate), chain(2))
    assert times.device_us == {"n0": 0.0, "n1": 0.0}
