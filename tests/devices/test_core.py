from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    Core,
    DelegateError,
    DelegateUnavailable,
    DelegateWarning,
    FallbackError,
    InputError,
    Model,
    ModelFormatError,
    PartitionOptions,
)
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.conformance.suite import all_cases
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import write_ms
from lite_delegate.mindspore.context.context import Context
from lite_delegate.npu import NPUDelegate
from lite_delegate.runtime.records import devices_of
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


class Away(NamedDelegate):
    def init(self) -> None:
        raise DelegateUnavailable("no cable")


def claiming(names: list[str] | None, options: Mapping[str, object]) -> NamedDelegate:
    return NamedDelegate(names)


def core_with(**names: list[str] | None) -> Core:
    """A core with delegates that claim by name."""
    core = Core()
    for name, claimed in names.items():
        core.register_device(name, partial(claiming, claimed))
    return core


def where(compiled) -> list[str]:
    return [node.device for node in compiled.partition.nodes]


@pytest.mark.shows("core", "AVAILABLE_DEVICES")
def test_devices() -> None:
    core = core_with(chip=None)
    core.register_device("away", Away)
    optional = ("OPENVINO", "ONNXRUNTIME", "QNN", "LITERT", "ETHOSU")
    assert [name for name in core.available_devices if name not in optional] == ["CPU", "NPU", "chip"]
    assert {each.name: each.reason for each in core.devices()}["away"] == "no cable"


def test_a_device_takes_the_whole_model_or_says_what_it_leaves() -> None:
    core = core_with(chip=["n0", "n2"], all=None)
    assert where(core.compile_model(chain(5), "all")) == ["all"] * 5
    with pytest.raises(FallbackError) as raised:
        core.compile_model(chain(6), "chip")
    assert str(raised.value) == (
        "Device 'chip' does not take 4 nodes of the model: 'n1' (AddFusion): OPERATOR: 'n1' is not in the list; "
        "'n3' (AddFusion): OPERATOR: 'n3' is not in the list; 'n4' (AddFusion): OPERATOR: 'n4' is not in the list; "
        "and 1 more. 'HETERO:chip,CPU' lets the CPU run the other nodes."
    )
    assert where(core.compile_model(chain(6), "HETERO:chip,CPU")) == ["chip", "CPU", "chip", "CPU", "CPU", "CPU"]


def test_each_device_takes_what_those_before_it_leave() -> None:
    core = core_with(one=["n0", "n1"], two=["n1", "n2"], three=["n3"])
    model = core.compile_model(chain(5), "HETERO:one,two,three,CPU")
    assert where(model) == ["one", "one", "two", "three", "CPU"]
    np.testing.assert_array_equal(model.create_infer_request().infer([X])[0], X + 15)
    with pytest.raises(FallbackError, match=r"Device 'HETERO:one,two' does not take 2 nodes .* 'HETERO:one,two,CPU'"):
        core.compile_model(chain(5), "HETERO:one,two")
    with pytest.raises(InputError, match="'CPU' at position 8 takes all nodes, so it must stand last"):
        core.compile_model(chain(5), "HETERO:CPU,one")


def test_a_listed_device_that_is_absent_is_an_error_unless_it_may_be_left_out() -> None:
    core = core_with(chip=["n0"])
    core.register_device("away", Away)
    for device in ("away", "HETERO:away,chip,CPU", "HETERO:away,CPU"):
        with pytest.raises(DelegateUnavailable, match="no cable"):
            core.compile_model(chain(2), device)
    with pytest.warns(DelegateWarning, match="Delegate 'away' is not available, other delegates and the CPU run"):
        model = core.compile_model(chain(2), "HETERO:away,chip,CPU", {"ENABLE_STARTUP_FALLBACK": "YES"})
    assert where(model) == ["chip", "CPU"]
    assert any("'away' is not available" in note for note in model.partition.notes)
    with pytest.raises(InputError, match="ENABLE_STARTUP_FALLBACK must be YES or NO; got 'maybe'"):
        core.compile_model(chain(2), "HETERO:chip,CPU", {"ENABLE_STARTUP_FALLBACK": "maybe"})


@pytest.mark.shows("NPU", "NPU_SIMULATE_ABSENT", "AVAILABLE_DEVICES")
def test_figures_of_an_absent_device_can_be_read() -> None:
    core = Core()
    core.set_property("NPU.4000", {"NPU_SIMULATE_ABSENT": "YES"})
    assert core.get_property("NPU.4000", "NPU_MAX_TILES") == NPUDelegate("npu4000").get_property("NPU_MAX_TILES")
    assert core.get_property("NPU.4000", "AVAILABLE_DEVICES") == ()
    with pytest.raises(DelegateUnavailable, match="there is no device"):
        core.compile_model(model_path(), "NPU.4000")


def test_any_device_will_do() -> None:
    core, waits = core_with(chip=["n0"]), {"ENABLE_STARTUP_FALLBACK": "NO"}
    assert where(core.compile_model(chain(2), "AUTO:NPU,CPU", waits)) == ["NPU"] * 2
    with pytest.warns(DelegateWarning, match="AUTO passes device 'NPU' over: estimated .* us a run on NPU, 10.0 us on"):
        assert where(core.compile_model(chain(2), properties=waits)) == ["CPU"] * 2
    with pytest.warns(DelegateWarning, match="AUTO passes device 'chip' over: Device 'chip' does not take 1 node"):
        on_cpu = core.compile_model(chain(2), "AUTO:chip,CPU", waits)
    assert where(on_cpu) == ["CPU"] * 2
    assert "AUTO passes device 'chip' over" in on_cpu.partition.notes[0]
    assert where(core.compile_model(chain(2), "AUTO:-NPU,-chip")) == ["CPU"] * 2
    with pytest.raises(InputError, match="'MPU' at position 6 is not registered"):
        core.compile_model(chain(2), "AUTO:MPU,CPU")
    with pytest.raises(InputError, match="leaves no device to choose"):
        core.compile_model(chain(2), "AUTO:-NPU,-CPU,-chip")
    with pytest.raises(FallbackError, match="'chip' does not take 1 node"):
        core.compile_model(chain(2), "AUTO:chip")


def test_models_come_as_path_text_bytes_and_graph() -> None:
    core = Core()
    data = Path(model_path()).read_bytes()
    for model in (model_path(), str(model_path()), data, bytearray(data), core.read_model(model_path())):
        assert len(where(core.compile_model(model, "CPU"))) == 11
    with pytest.raises(TypeError, match="must be a path, the bytes of a file or a Graph, but got int"):
        core.compile_model(3, "CPU")  # type: ignore[arg-type]
    with pytest.raises(ModelFormatError):
        core.compile_model(b"nothing", "CPU")


def test_shapes_of_inputs_can_be_given() -> None:
    graph = chain(1, (-1, 3))
    compiled = Core().compile_model(graph, "CPU", shapes={"x": (5, 3)})
    assert list(compiled.inputs[0].shape) == [5, 3]
    assert graph.inputs[0].shape == (-1, 3)
    for shapes in ({"y": (1,)}, {"x": (5, 4)}, {"x": (0, 3)}):
        with pytest.raises(InputError, match="input_shapes"):
            Core().compile_model(graph, "CPU", shapes=shapes)


@pytest.mark.parametrize("device", ["CPU", "NPU", "NPU.kirin", "HETERO:NPU.kirin,CPU", "AUTO"])
def test_compiling_leaves_the_model_as_it_is(device: str, tmp_path: Path) -> None:
    core = Core()
    graph = core.read_model(model_path())
    write_ms(graph, tmp_path / "before.ms")
    try:
        core.compile_model(graph, device).close()
    except FallbackError:
        assert device == "NPU.kirin"
    core.query_model(graph, "NPU")
    write_ms(graph, tmp_path / "after.ms")
    assert (tmp_path / "after.ms").read_bytes() == (tmp_path / "before.ms").read_bytes()


def test_both_doors_lead_to_the_same() -> None:
    context, model = Context(), Model()
    delegate = NPUDelegate("kirin")
    delegate.name = "NPU.kirin"
    context.set_delegate(delegate)
    model.build_from_file(str(model_path()), context=context)
    compiled = Core().compile_model(model_path(), "HETERO:NPU.kirin,CPU")
    assert compiled.partition == model.get_partition()


def test_properties_are_set_together_or_not_at_all() -> None:
    core = Core()
    core.set_property("NPU.4000", {"NPU_TILES": 2})
    with pytest.raises(InputError, match="NPU_TILE"):
        core.set_property("NPU.4000", {"NPU_TURBO": "YES", "NPU_TILE": 3})
    assert core.get_property("NPU.4000", "NPU_TURBO") is False
    assert core.get_property("NPU.4000", "NPU_TILES") == 2
    assert core.get_property("NPU", "NPU_TILES") == -1
    for device in ("HETERO:NPU,CPU", "AUTO"):
        with pytest.raises(InputError, match="is made of other devices: set properties of its devices"):
            core.set_property(device, {"NPU_TILES": 2})
    with pytest.raises(InputError, match="The CPU has no property 'NPU_TILES'"):
        core.set_property("CPU", {"npu_tiles": 2})


def test_properties_of_a_call_come_before_those_of_the_device_and_nested_ones_first() -> None:
    core = Core()
    core.set_property("NPU.4000", {"NPU_TILES": 2})

    def tiles(device: str, properties: Mapping[str, object]) -> object:
        (delegate,) = core.compile_model(model_path(), device, properties).delegates.values()
        assert isinstance(delegate, NPUDelegate)
        return delegate.get_property("NPU_TILES")

    nested = {"DEVICE_PROPERTIES": {"NPU.4000": {"NPU_TILES": 4}}}
    assert tiles("NPU.4000", {}) == 2
    assert tiles("NPU.4000", {"NPU_TILES": 3}) == 3
    assert tiles("NPU.4000", {"NPU_TILES": 3, **nested}) == 4
    assert tiles("HETERO:NPU.4000,CPU", nested) == 4
    said = r"say whose NPU_TILES is meant, {'DEVICE_PROPERTIES': {'NPU.4000': {'NPU_TILES': ...}}}\."
    with pytest.raises(InputError, match=said):
        tiles("HETERO:CPU,NPU.4000", {"NPU_TILES": 3})
    said = r"properties of NPU.4000 are given as {'DEVICE_PROPERTIES': {'NPU.4000': {'NPU_TILES': 4}}}\."
    with pytest.raises(InputError, match=said):
        tiles("HETERO:NPU.4000,CPU", {"npu.4000": {"NPU_TILES": 4}})
    for wrong, message in (
        ({"GPU": {}}, "'GPU' at position 1 is not registered"),
        ({"NPU.kirin": {"NPU_TIL": 1}}, "NPU_TIL"),
        ({"CPU": {"X": 1}}, "The CPU has no property 'X'"),
        ({"NPU": 3}, "must map a device to its properties"),
        ([], "must map names of devices"),
    ):
        with pytest.raises(InputError, match=message):
            core.compile_model(model_path(), "NPU.4000", {"DEVICE_PROPERTIES": wrong})


@pytest.mark.shows("NPU", "NPU_DEVICE_ALLOC_MEM_SIZE")
def test_models_of_one_device_share_its_memory() -> None:
    core = Core()
    first = core.compile_model(model_path(), "NPU")
    one = core.get_property("NPU", "NPU_DEVICE_ALLOC_MEM_SIZE")
    second = core.compile_model(model_path(), "NPU", {"NPU_TURBO": "YES"})
    assert isinstance(one, int)
    assert one > 0
    assert core.get_property("NPU", "NPU_DEVICE_ALLOC_MEM_SIZE") == 2 * one
    first.close()
    second.close()
    assert core.get_property("NPU", "NPU_DEVICE_ALLOC_MEM_SIZE") == 0


def test_a_query_says_where_nodes_run_and_why() -> None:
    core = core_with(chip=["n0", "n2"])
    query = core.query_model(chain(3), "HETERO:chip,CPU")
    assert dict(query) == {"n0": "chip", "n1": "CPU", "n2": "chip"}
    assert query.devices == {"chip": 2, "CPU": 1}
    assert [subgraph.kernels for subgraph in query.subgraphs] == [("n0",), ("n2",)]
    assert (query.rejections["n1"].code, query.rejections["n1"].reason) == ("OPERATOR", "'n1' is not in the list")
    alone = core.query_model(chain(3), "chip")
    assert dict(alone) == {"n0": "chip", "n2": "chip"}
    assert alone.rejections == query.rejections
    assert dict(core.query_model(chain(3), "CPU")) == dict.fromkeys(("n0", "n1", "n2"), "CPU")
    assert core.query_model(chain(3), "CPU").rejections == {}
    with pytest.raises(InputError, match="asks one device"):
        core.query_model(chain(3), "AUTO")


def test_a_query_loads_nothing() -> None:
    core = Core()
    delegate = NPUDelegate()
    core.register_device("mine", lambda options: delegate)
    core.query_model(model_path(), "mine")
    assert delegate.device.allocated_memory == 0


def test_compiled_models_are_imported_on_the_device_that_they_were_compiled_for() -> None:
    core = Core()
    for device in ("CPU", "NPU", "HETERO:NPU.kirin,CPU"):
        compiled = core.compile_model(model_path(), device)
        x = np.random.default_rng(0).random(tuple(compiled.inputs[0].shape), np.float32)
        expected = compiled.create_infer_request().infer([x])[0]
        data = compiled.export_model()
        found = core.import_model(data, device).create_infer_request().infer([x])[0]
        np.testing.assert_array_equal(found, expected)
        on_the_same = core.import_model(data)
        assert on_the_same.get_property("EXECUTION_DEVICES") == compiled.get_property("EXECUTION_DEVICES")
        np.testing.assert_array_equal(on_the_same([x])[0], expected)
        assert core.check_compatibility(data, device).verdict == "supported"
    other = core.check_compatibility(data, "NPU.4000")
    assert other.verdict != "supported"
    with pytest.raises(DelegateError):
        core.import_model(data, "NPU.4000")
    with pytest.raises(InputError, match="Compiled models are for one device"):
        core.import_model(data, "AUTO")


IN_A_NEW_PROCESS = """
import sys, numpy as np
from lite_delegate import Core
folder, *devices = sys.argv[1:]
for number, device in enumerate(devices):
    compiled = Core().import_model(f"{folder}/{number}.ldm", device)
    np.save(f"{folder}/{number}.npy", compiled([np.load(f"{folder}/x.npy")])[0])
"""


def test_what_one_process_exports_gives_the_same_bits_in_another(tmp_path: Path) -> None:
    core, parts = Core(), {"CPU": ("CPU",), "NPU": ("NPU",), "HETERO:NPU,NPU.kirin,CPU": ("NPU", "NPU.kirin", "CPU")}
    x = np.random.default_rng(5).random((1, 8, 8, 1), np.float32)
    np.save(tmp_path / "x.npy", x)
    expected = []
    for number, (device, names) in enumerate(parts.items()):
        shared_out = PartitionOptions(
            affinity=dict(zip(("stem/conv", "block/conv1", "head/dense"), names, strict=False))
        )
        compiled = core.compile_model(model_path(), device, partition=shared_out)
        assert compiled.get_property("EXECUTION_DEVICES") == names
        compiled.export_model(tmp_path / f"{number}.ldm")
        expected.append(compiled([x])[0])
        np.testing.assert_array_equal(core.import_model(tmp_path / f"{number}.ldm", device)([x])[0], expected[-1])
    subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS, str(tmp_path), *parts], check=True)
    for number, each in enumerate(expected):
        np.testing.assert_array_equal(np.load(tmp_path / f"{number}.npy"), each)


FAMILIES = sorted({case.op_type for case in all_cases()})[::12]


@pytest.mark.filterwarnings("ignore:Delegate .* does not claim")
@pytest.mark.parametrize("profile", ["generic", "kirin", "npu3720"])
@pytest.mark.parametrize("op", FAMILIES)
def test_a_query_is_what_compiling_then_does(op: str, profile: str) -> None:
    core = Core()
    for case in list(all_cases([op]))[:2]:
        device = f"HETERO:NPU.{profile},CPU"
        query = core.query_model(case_graph(case), device)
        compiled = core.compile_model(case_graph(case), device)
        assert dict(query) == devices_of(compiled.partition.nodes)
        left = {name for name, where in query.items() if where == "CPU"}
        assert left == set(query.rejections)
        assert all(each.code and each.reason for each in query.rejections.values())
        assert query.partition.subgraphs == compiled.partition.subgraphs


@pytest.mark.parametrize("device", ["NPU", "HETERO:NPU,CPU", "AUTO:NPU,CPU", "MULTI:NPU,CPU", "BATCH:NPU(2)"])
def test_what_is_nested_for_a_device_that_takes_no_part_is_checked_and_noted(device: str) -> None:
    core, waits = Core(), {"ENABLE_STARTUP_FALLBACK": "NO"}
    note = f"DEVICE_PROPERTIES has properties for 'NPU.kirin', which is no part of '{device}': checked, without effect"
    unused: dict[str, object] = {"DEVICE_PROPERTIES": {"NPU.kirin": {"NPU_TURBO": "YES"}, "NPU": {"PERF_COUNT": "NO"}}}
    compiled = core.compile_model(model_path(), device, {**unused, **waits})
    assert [each for each in compiled.partition.notes if "DEVICE_PROPERTIES" in each] == [note]
    compiled.close()
    for wrong, message in (
        ({"NPU.kirin": {"NPU_TURBO": "MAYBE"}}, "NPU_TURBO must be YES or NO; got 'MAYBE'"),
        ({"NPU.kirin": {"FULL_DEVICE_NAME": "x"}}, "FULL_DEVICE_NAME can only be read"),
        ({"TPU": {}}, "Device 'TPU' at position 1 is not registered"),
    ):
        with pytest.raises(InputError, match=message):
            core.compile_model(model_path(), device, {**waits, "DEVICE_PROPERTIES": wrong})


def test_a_query_notes_what_takes_no_part_too() -> None:
    unused: dict[str, object] = {"DEVICE_PROPERTIES": {"CPU": {"NUM_STREAMS": 2}}}
    (note,) = Core().query_model(model_path(), "NPU", unused).partition.notes
    assert note.startswith("DEVICE_PROPERTIES has properties for 'CPU', which is no part of 'NPU'")
