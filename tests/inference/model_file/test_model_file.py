from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Delegate,
    DelegateBuildError,
    DelegateUnavailable,
    FallbackError,
    InputError,
    LiteDelegateError,
    Model,
    ModelFormatError,
    ModelType,
)
from lite_delegate.inference import compile_graph
from lite_delegate.inference.compiling.import_model import import_model
from lite_delegate.inference.model_file import FileVerdict, check_compatibility
from lite_delegate.inference.model_file.exported_sections import sections_of
from lite_delegate.inference.model_file.files import written
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.runtime.settings import Settings
from lite_delegate.sections.sections import open_sections, sectioned_bytes
from tests.inference.model_file.models import WEIGHT, ExportingDelegate, X, compiled, run, settings, weighted
from tests.runtime.graphs import chain

DELEGATES: dict[str, Callable[[], Delegate | None]] = {
    "cpu": lambda: None,
    "npu": NPUDelegate,
    "own": ExportingDelegate,
}
IN_A_NEW_PROCESS = """
import sys, numpy as np
from lite_delegate import Context, Model
from lite_delegate.npu import NPUDelegate
model, context = Model(), Context()
context.set_delegate(NPUDelegate())
model.build_from_file(sys.argv[1], context=context)
np.save(sys.argv[3], model.predict([np.load(sys.argv[2])])[0].data)
open(sys.argv[4], "wb").write(model.export())
"""


@pytest.mark.parametrize("kind", DELEGATES)
def test_an_imported_model_gives_the_same_bits(kind: str) -> None:
    before = compiled(DELEGATES[kind]())
    after = import_model(before.export_model(), settings(DELEGATES[kind]()))
    np.testing.assert_array_equal(run(after), run(before))
    expected = np.maximum(X + WEIGHT, 0) + 1 + (100 if kind == "own" else 0)
    np.testing.assert_allclose(run(after), expected, rtol=2e-3, atol=2e-3)
    assert after.partition.nodes == before.partition.nodes
    assert [t.name for t in after.inputs] == ["x"]
    assert after.export_model() == before.export_model()


def test_a_new_process_gives_the_same_bits_and_the_same_bytes(tmp_path: Path) -> None:
    model = compiled(NPUDelegate())
    data = model.export_model(tmp_path / "m.ldm")
    assert (tmp_path / "m.ldm").read_bytes() == data
    np.save(tmp_path / "x.npy", X)
    names = ("m.ldm", "x.npy", "y.npy", "again.ldm")
    subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS, *(str(tmp_path / name) for name in names)], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), run(model))
    assert (tmp_path / "again.ldm").read_bytes() == data


def test_nothing_is_asked_and_nothing_compiled() -> None:
    data, delegate = compiled(ExportingDelegate(number=5)).export_model(), ExportingDelegate(number=9)
    model = import_model(data, settings(delegate))
    assert (delegate.asked, delegate.compiled, delegate.inits) == (0, 0, 1)
    np.testing.assert_allclose(run(model), np.maximum(X + WEIGHT, 0) + 6, rtol=1e-6)
    assert list(model.graph_kernels.values()) == [("second",)]


def test_two_compilations_give_the_same_bytes() -> None:
    assert compiled(NPUDelegate()).export_model() == compiled(NPUDelegate()).export_model()


def test_the_model_facade_takes_the_file_and_the_bytes(tmp_path: Path) -> None:
    first, context = Model(), Context()
    context.set_delegate(NPUDelegate())
    first.build_from_graph(weighted(), context)
    data = first.export(tmp_path / "m.ldm")
    from_file, from_bytes = Model(), Model()
    from_file.build_from_file(tmp_path / "m.ldm", context=context)
    from_bytes.build_from_buffer(data, ModelType.MINDIR_LITE, context)
    for model in (from_file, from_bytes):
        np.testing.assert_array_equal(model.predict([X])[0].data, first.predict([X])[0].data)
        assert model.query() == first.query()


def test_other_shapes_are_planned_from_the_graph_that_was_compiled() -> None:
    x = np.ones((3, 3), np.float32)
    data = compile_graph(chain(2), settings(NPUDelegate())).export_model()
    model = import_model(data, settings(NPUDelegate())).reshaped([(3, 3)])
    np.testing.assert_array_equal(model.create_infer_request().infer([x])[0], x + 3)


def test_the_cpu_runs_a_subgraph_on_which_the_device_fails() -> None:
    data = compiled(ExportingDelegate()).export_model()
    delegate = ExportingDelegate()
    model = import_model(data, Settings(delegates=(delegate,), falls_back=True))
    for kernel in model.graph_kernels:
        kernel.execute = _failing  # type: ignore[method-assign]
    np.testing.assert_allclose(run(model), np.maximum(X + WEIGHT, 0) + 1, rtol=1e-6)


def _failing() -> None:
    raise OSError("no device today")


@pytest.mark.parametrize("npu", [False, True])
def test_a_real_model(shared_models: Path, npu: bool) -> None:
    model, context = Model(), Context()
    context.set_delegate(NPUDelegate() if npu else None)
    model.build_from_file(shared_models / "lenet_tod_infer.ms", context=context)
    imported = import_model(model.export(), settings(NPUDelegate() if npu else None))
    x = np.random.default_rng(0).random(tuple(model.get_inputs()[0].shape)).astype(np.float32)
    expected = [tensor.data for tensor in model.predict([x])]
    for mine, theirs in zip(imported.create_infer_request().infer([x]), expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


class Unexporting(ExportingDelegate):
    name = "unexporting"
    export_kernel = Delegate.export_kernel


class Unkeyed(ExportingDelegate):
    name = "unkeyed"
    cache_key = Delegate.cache_key


@pytest.mark.parametrize("delegate", [Unexporting(), Unkeyed()], ids=lambda each: each.name)
def test_a_delegate_that_cannot_export_is_named_and_nothing_is_written(delegate: Delegate, tmp_path: Path) -> None:
    model = compiled(delegate)
    with pytest.raises(DelegateBuildError, match=f"Delegate '{delegate.name}' cannot export"):
        model.export_model(tmp_path / "m.ldm")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_was_only_planned_is_not_exported() -> None:
    model = compile_graph(weighted(), Settings(plan_only=True))
    with pytest.raises(LiteDelegateError, match="only planned"):
        model.export_model()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a directory"):
        compiled().export_model(tmp_path / "no" / "m.ldm")


def test_a_file_for_other_delegates_is_rejected_by_their_names() -> None:
    data = compiled(ExportingDelegate()).export_model()
    with pytest.raises(DelegateBuildError, match="compiled for delegate 'exporting', found the CPU alone"):
        import_model(data, settings())
    with pytest.raises(DelegateBuildError, match="compiled for the CPU alone, found delegate 'exporting'"):
        import_model(compiled().export_model(), settings(ExportingDelegate()))
    with pytest.raises(DelegateBuildError, match="architecture a, here it is b"):
        import_model(data, settings(ExportingDelegate(architecture="b")))


def test_another_device_is_rejected() -> None:
    data = compiled(NPUDelegate("npu4000")).export_model()
    with pytest.raises(DelegateBuildError, match="profile 'npu4000', this device has 'generic'"):
        import_model(data, settings(NPUDelegate()))
    assert check_compatibility(data, [NPUDelegate()]).verdict is FileVerdict.RECOMPILE


def test_fewer_tiles_work_and_more_are_rejected() -> None:
    fewer = compiled(NPUDelegate("npu4000", options={"NPU_TILES": 1})).export_model()
    most = NPUDelegate("npu4000").profile.compute.tiles
    run(import_model(fewer, settings(NPUDelegate("npu4000"))))
    more = compiled(NPUDelegate("npu4000", options={"NPU_TILES": most})).export_model()
    small = NPUDelegate("npu4000", options={"NPU_MAX_TILES": 1})
    with pytest.raises(DelegateBuildError, match=f"compiled for {most} tiles, programs may use 1 here"):
        import_model(more, settings(small))
    assert check_compatibility(more, [small]).verdict is FileVerdict.RECOMPILE


def test_a_device_that_is_not_there() -> None:
    data = compiled(NPUDelegate()).export_model()
    with pytest.raises(DelegateUnavailable):
        import_model(data, settings(NPUDelegate(options={"NPU_SIMULATE_ABSENT": True})))


def test_strict_mode_holds() -> None:
    data = compiled(ExportingDelegate()).export_model()
    with pytest.raises(FallbackError, match="2 kernels of the compiled model run on the CPU, the first is 'first'"):
        import_model(data, Settings(delegates=(ExportingDelegate(),), strict=True))


@pytest.mark.parametrize("change", [{"package": "0.0.9"}, {"schema": 2}])
def test_other_releases_are_rejected_with_both_versions(change: dict[str, object]) -> None:
    file = open_sections(compiled().export_model())
    data = sectioned_bytes({**file.fields, **change}, {name: file.section(name) for name in file.sections})
    (found,) = change.values()
    with pytest.raises(ModelFormatError, match=f"version .*, found {found}: compile the model again"):
        import_model(data, settings())
    answer = check_compatibility(data, [])
    assert (answer.verdict, len(answer.reasons)) == (FileVerdict.RECOMPILE, 1)


def test_a_newer_format_is_rejected_with_both_versions() -> None:
    data = bytearray(compiled().export_model())
    data[8] = 9
    with pytest.raises(ModelFormatError, match="expected format version 3, found 9"):
        import_model(data, settings())


@pytest.mark.parametrize(("data", "said"), [(b"", "starts with b''"), (b"garbage" * 99, "starts with b'garbageg'")])
def test_a_file_without_a_compiled_model_is_rejected(data: bytes, said: str) -> None:
    with pytest.raises(ModelFormatError, match="not a compiled model") as caught:
        import_model(data, settings())
    assert said in str(caught.value)
    assert check_compatibility(data, []).verdict is FileVerdict.NOT_SUPPORTED


def test_a_file_without_its_weights_needs_the_model() -> None:
    model = compiled()
    data = written(*sections_of(model.parts(), with_weights=False), None)
    whole = model.export_model()
    assert len(whole) - len(data) == pytest.approx(WEIGHT.nbytes, rel=0.05)
    np.testing.assert_array_equal(run(import_model(data, settings(), weighted())), run(model))
    with pytest.raises(ModelFormatError, match=r"'weight'.*written without weights"):
        import_model(data, settings())
    with pytest.raises(ModelFormatError, match=r"'weight'.*cannot be found in the weights given"):
        import_model(data, settings(), _changed())


def _changed() -> Graph:
    graph = weighted()
    weight = graph.nodes[0].inputs[1]
    assert weight is not None
    weight.data = WEIGHT + 1
    return graph


def test_the_header_can_be_read_by_anybody() -> None:
    data = compiled(ExportingDelegate()).export_model()
    length = int.from_bytes(data[12:16], "little")
    header = json.loads(data[48 : 48 + length])
    assert header["delegates"] == [{"key": {"architecture": "a"}, "name": "exporting"}]
    assert [port["name"] for port in header["inputs"]] == ["x"]
    assert {"plan", "record", "graph", "kernel/0", "constants"} == {each["name"] for each in header["sections"]}


def test_constants_are_views_of_the_mapped_file(tmp_path: Path) -> None:
    compiled().export_model(tmp_path / "m.ldm")
    model = import_model(tmp_path / "m.ldm", settings())
    weight = model.graph.nodes[0].inputs[1]
    assert weight is not None
    assert weight.data is not None
    assert not weight.data.flags.owndata
    assert not weight.data.flags.writeable
