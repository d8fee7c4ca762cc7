"""Faults of the device: by themselves, and through models that raise or fall back."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate import Context, DelegateExecuteError, DelegateWarning, DeviceLost, FallbackError, Model
from lite_delegate.demo import load_test_set, model_path
from lite_delegate.ir import Graph
from lite_delegate.npu import Device, Faults, NPUDelegate
from lite_delegate.npu.device import Buffer, ElementType, Program, ProgramStep
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from tests.runtime.failing import run
from tests.runtime.graphs import chain

VECTOR = Buffer((3,), ElementType.FLOAT16)
NEGATE = Program((VECTOR,) * 2, (), (0,), (1,), (ProgramStep(Lookup(Function.NEG), (0,), 1),))
X = np.array([1, 2, 3], np.float16)
FED = np.arange(6, dtype=np.float32).reshape(2, 3)


def opened(faults: Faults | None = None) -> Device:
    device = Device(faults=faults)
    device.open()
    return device


def negated(device: Device, program=None) -> list[float]:
    loaded = device.load(NEGATE, {}) if program is None else program
    (result,) = device.run(loaded, [X])
    found: list[float] = result.tolist()
    return found


def test_no_fault_is_the_default():
    device = opened()
    for _ in range(5):
        assert negated(device) == [-1, -2, -3]


def test_runs_are_counted_from_1_over_all_programs_and_loads_apart():
    device = opened(Faults(timeout=(2, 4), no_memory=(3,)))
    first, second = device.load(NEGATE, {}), device.load(NEGATE, {})
    with pytest.raises(DelegateExecuteError, match="no memory left"):
        device.load(NEGATE, {})
    for number, loaded in enumerate((first, second, first, second, first), 1):
        if number in (2, 4):
            with pytest.raises(DelegateExecuteError, match="longer than 1000 ms"):
                negated(device, loaded)
        else:
            assert negated(device, loaded) == [-1, -2, -3]


def test_a_run_with_wrong_inputs_does_not_count():
    device = opened(Faults(timeout=(1,)))
    loaded = device.load(NEGATE, {})
    with pytest.raises(DelegateExecuteError, match="Expected 1 input"):
        device.run(loaded, [])
    with pytest.raises(DelegateExecuteError, match="longer than 1000 ms"):
        device.run(loaded, [X])


def test_injected_faults_are_counted_from_then_and_replace_those_before():
    device = opened(Faults(timeout=range(1, 100)))
    loaded = device.load(NEGATE, {})
    with pytest.raises(DelegateExecuteError):
        negated(device, loaded)
    device.inject(Faults(timeout=(2,)))
    assert negated(device, loaded) == [-1, -2, -3]
    with pytest.raises(DelegateExecuteError):
        negated(device, loaded)
    device.inject(Faults())
    assert negated(device, loaded) == [-1, -2, -3]


def test_of_several_faults_of_one_run_the_first_listed_counts():
    device = opened(Faults(lost=(2,), timeout=(1, 2), bad_result=(1, 2, 3)))
    loaded = device.load(NEGATE, {})
    with pytest.raises(DelegateExecuteError, match="1000 ms") as caught:
        device.run(loaded, [X])
    assert not isinstance(caught.value, DeviceLost)
    with pytest.raises(DeviceLost):
        device.run(loaded, [X])
    assert Faults(lost_loading=(1,), no_memory=(1, 2)).of_load(1) == "lost"
    assert Faults(lost_loading=(1,), no_memory=(1, 2)).of_load(2) == "no memory"


def test_a_lost_device_fails_every_load_and_run_until_it_is_opened_and_is_empty_then():
    device = opened(Faults(lost=(2,)))
    loaded = device.load(NEGATE, {})
    negated(device, loaded)
    with pytest.raises(DeviceLost, match="was lost, with every program in its memory"):
        negated(device, loaded)
    assert device.programs == 0
    assert not device.is_open
    for _ in range(2):
        with pytest.raises(DeviceLost, match="must be open to run a program; it is lost"):
            negated(device, loaded)
        with pytest.raises(DeviceLost, match="must be open to load a program; it is lost"):
            device.load(NEGATE, {})
    device.open()
    with pytest.raises(DeviceLost, match="does not hold the program any more"):
        negated(device, loaded)
    assert negated(device) == [-1, -2, -3]


def test_closing_does_not_bring_a_lost_device_back():
    device = opened(Faults(lost_loading=(1,)))
    with pytest.raises(DeviceLost):
        device.load(NEGATE, {})
    device.close()
    with pytest.raises(DeviceLost):
        device.load(NEGATE, {})
    device.open()
    assert negated(device) == [-1, -2, -3]


def test_a_bad_result_is_one_element_too_short():
    device = opened(Faults(bad_result=(1,)))
    (result,) = device.run(device.load(NEGATE, {}), [X])
    assert result.tolist() == [-1, -2]


def test_a_bad_result_of_nothing_has_an_element():
    empty = Buffer((0,), ElementType.FLOAT16)
    program = Program((empty,) * 2, (), (0,), (1,), (ProgramStep(Lookup(Function.NEG), (0,), 1),))
    device = opened(Faults(bad_result=(1,)))
    (result,) = device.run(device.load(program, {}), [np.zeros(0, np.float16)])
    assert result.shape == (1,)


def test_unloading_gives_the_program_up_and_may_be_repeated():
    device = opened()
    kept, gone = device.load(NEGATE, {}), device.load(NEGATE, {})
    assert device.programs == 2
    for _ in range(2):
        device.unload(gone)
    assert device.programs == 1
    assert negated(device, kept) == [-1, -2, -3]
    with pytest.raises(DeviceLost, match="lost or unloaded"):
        negated(device, gone)


def test_unloading_works_on_a_closed_and_on_a_lost_device():
    device = opened(Faults(lost=(1,)))
    first, second = device.load(NEGATE, {}), device.load(NEGATE, {})
    device.close()
    device.unload(first)
    device.open()
    with pytest.raises(DeviceLost):
        negated(device, second)
    device.unload(second)
    assert device.programs == 0


# Through models: n0 and n1 on the device, n2 on the CPU, n3 on the device; each adds its number plus 1.


class Partly(NPUDelegate):
    """The NPU without what the names say."""

    def __init__(self, device: Device, rejected: Sequence[str] = ("n2",)) -> None:
        super().__init__(device=device)
        self.rejected = rejected

    def supports(self, kernel):
        from lite_delegate import RejectCode, Rejected

        return Rejected(RejectCode.POLICY, "rejected") if kernel.name in self.rejected else super().supports(kernel)


def model_on(device: Device, on_delegate_error: str, graph: Graph | None = None, *, strict: bool = False) -> Model:
    context = Context()
    context.set_delegate(Partly(device))
    context.on_delegate_error = on_delegate_error
    context.strict = strict
    model = Model()
    model.build_from_graph(chain(4) if graph is None else graph, context)
    return model


def statuses(model: Model) -> list[str]:
    return [s.status.value for s in model.get_partition().subgraphs]


# The faults of the first and of the second graph kernel of the first prediction, and of the second prediction.
FAULTS = [
    (Faults(timeout=(1,)), "NpuGraph0': The run took longer than 1000 ms", ["failed", "ok"]),
    (Faults(timeout=(2,)), "NpuGraph1': The run took longer than 1000 ms", ["ok", "failed"]),
    (
        Faults(bad_result=(1,)),
        r"NpuGraph0': output buffer 0: expected float16 \(2, 3\) \(12 bytes\), the device gave float16 \(5,\)",
        ["failed", "ok"],
    ),
    (Faults(lost=(2,)), "NpuGraph1': The device was lost", ["lost", "lost"]),
]


@pytest.mark.parametrize(("faults", "message", "after"), FAULTS)
def test_a_fault_is_raised_with_the_name_of_the_graph_kernel(faults, message, after):
    model = model_on(Device(faults=faults), "raise")
    with pytest.raises(DelegateExecuteError, match=f"Graph kernel '{message}") as caught:
        model.predict({"x": FED})
    assert isinstance(caught.value, DeviceLost) == (faults.lost != ())
    if not faults.lost:
        np.testing.assert_array_equal(run(model, x=FED)[0][0], FED + 10)
        assert statuses(model) == after
        return
    with pytest.raises(DeviceLost, match="NpuGraph0': The device must be open to run a program; it is lost"):
        model.predict({"x": FED})
    assert statuses(model) == after


@pytest.mark.parametrize(("faults", "message", "after"), FAULTS)
def test_a_fault_is_made_good_by_the_cpu(faults, message, after):
    model = model_on(Device(faults=faults), "fallback")
    warned = []
    for _ in range(3):
        got, said = run(model, x=FED)
        np.testing.assert_array_equal(got[0], FED + 10)
        warned += said
    assert statuses(model) == after
    assert len(warned) == len([s for s in after if s != "ok"])
    assert sum(s.failures for s in model.get_partition().subgraphs) == len(warned)


def test_a_loss_is_said_also_after_a_failure_that_went_by():
    """Runs are counted over both graph kernels: the first fails in the first prediction, and is lost in the second."""
    model = model_on(Device(faults=Faults(timeout=(1,), lost=(3,))), "fallback")
    told = [said for _ in range(4) for said in [run(model, x=FED)[1]]]
    assert [len(said) for said in told] == [1, 2, 0, 0]
    assert "failed on the device once, the CPU ran it instead; the next prediction tries" in str(told[0][0])
    for said in told[1]:
        assert "the CPU runs it until the model is built or resized anew, because the device is lost" in str(said)
    assert statuses(model) == ["lost", "lost"]


@pytest.mark.parametrize(("faults", "message", "after"), FAULTS)
@pytest.mark.parametrize("setting", ["raise", "fallback"])
def test_a_model_that_met_a_fault_can_be_resized_and_back(faults, message, after, setting):
    model = model_on(Device(faults=faults), setting)
    if setting == "raise":
        with pytest.raises(DelegateExecuteError):
            model.predict({"x": FED})
    else:
        run(model, x=FED)
    for rows in (5, 2):
        model.resize(model.get_inputs(), [[rows, 3]])
        fed = np.full((rows, 3), 7, np.float32)
        got, said = run(model, x=fed)
        np.testing.assert_array_equal(got[0], fed + 10)
        assert said == []
    assert "lost" not in statuses(model)


@pytest.mark.parametrize("faults", [Faults(lost_loading=(2,)), Faults(no_memory=(2,))])
@pytest.mark.parametrize("setting", ["raise", "fallback"])
def test_a_program_that_cannot_be_loaded_is_a_run_on_the_cpu(faults, setting):
    device = Device(faults=faults)
    with pytest.warns(DelegateWarning, match=r"1 kernel goes back to the CPU, the first is 'n3': Graph kernel 'NpuG"):
        model = model_on(device, setting)
    record = model.get_partition()
    assert [s.name for s in record.subgraphs] == ["NpuGraph0"]
    assert record.nodes[3].code == "COMPILE_FAILED"
    if faults.no_memory or setting == "fallback":
        np.testing.assert_array_equal(run(model, x=FED)[0][0], FED + 10)
    else:
        with pytest.raises(DeviceLost):
            model.predict({"x": FED})
    assert statuses(model) == (["ok"] if faults.no_memory else ["lost"])


def test_a_program_that_cannot_be_loaded_is_an_error_when_strict():
    class Whole(NPUDelegate):
        """Claims everything."""

    context = Context()
    context.set_delegate(Whole(device=Device(faults=Faults(no_memory=(1,)))))
    context.strict = True
    model = Model()
    with pytest.warns(DelegateWarning), pytest.raises(FallbackError, match="4 kernels would run on the CPU") as caught:
        model.build_from_graph(chain(4), context)
    assert "no memory left" in str(caught.value.__cause__)
    model.build_from_graph(chain(4), context)
    np.testing.assert_array_equal(run(model, x=FED)[0][0], FED + 10)


def test_a_second_model_brings_the_device_back_but_not_the_programs_of_the_first():
    device = Device(faults=Faults(lost=(1,)))
    first = model_on(device, "fallback")
    run(first, x=FED)
    second = model_on(device, "raise")
    np.testing.assert_array_equal(run(second, x=FED)[0][0], FED + 10)
    np.testing.assert_array_equal(run(first, x=FED)[0][0], FED + 10)
    assert statuses(first) == ["lost", "lost"]
    assert statuses(second) == ["ok", "ok"]


def test_a_real_model_on_a_device_that_never_answers_gives_the_bits_of_the_cpu():
    images = load_test_set()[0][:20]
    results = []
    for delegate in (None, NPUDelegate(device=Device(faults=Faults(timeout=range(1, 100))))):
        context = Context()
        context.set_delegate(delegate)
        context.on_delegate_error = "fallback"
        model = Model()
        model.build_from_file(model_path(), context=context)
        model.resize(model.get_inputs(), [images.shape])
        results.append(run(model, image=images)[0])
        assert set(statuses(model)) == (set() if delegate is None else {"failed"})
    for got, want in zip(results[1], results[0], strict=True):
        np.testing.assert_array_equal(got, want)


def test_parallel_predictions_with_faults_give_right_results_and_lose_none():
    faults = Faults(timeout=range(1, 400, 3), bad_result=range(2, 400, 5))
    model = model_on(Device(faults=faults), "fallback")
    inputs = [np.full((2, 3), n, np.float32) for n in range(60)]
    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(6) as pool:
        warnings.simplefilter("always")
        results = list(pool.map(lambda x: model.predict({"x": x})[0].get_data_to_numpy(), inputs))
    for x, result in zip(inputs, results, strict=True):
        np.testing.assert_array_equal(result, x + 10)
    failing = sum(faults.of_run(n) is not None for n in range(1, 2 * 60 + 1))
    assert sum(s.failures for s in model.get_partition().subgraphs) == failing
    assert len(caught) == 2


def test_parallel_predictions_survive_the_loss_of_the_device():
    model = model_on(Device(faults=Faults(lost=(40,))), "fallback")
    inputs = [np.full((2, 3), n, np.float32) for n in range(60)]
    with warnings.catch_warnings(), ThreadPoolExecutor(6) as pool:
        warnings.simplefilter("ignore")
        results = list(pool.map(lambda x: model.predict({"x": x})[0].get_data_to_numpy(), inputs))
    for x, result in zip(inputs, results, strict=True):
        np.testing.assert_array_equal(result, x + 10)
    assert statuses(model) == ["lost", "lost"]
