"""A compiled model is imported at every door, whatever that calls its device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, Core, Delegate, DelegateBuildError, Model
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate

X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(1, 8, 8, 1)


def built(path: Path, delegate: Delegate) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_file(path, context=context)
    return model


def test_a_model_that_core_compiled_is_built_with_a_delegate_of_the_device(tmp_path: Path) -> None:
    compiled = Core().compile_model(model_path(), "HETERO:NPU.kirin,CPU")
    compiled.export_model(tmp_path / "m.ldm")
    model = built(tmp_path / "m.ldm", NPUDelegate("kirin"))
    np.testing.assert_array_equal(model.predict([X])[0].data, compiled([X])[0])
    record = model.get_partition()
    assert record.delegate == "npu"
    assert {node.device for node in record.nodes} == {subgraph.delegate for subgraph in record.subgraphs} == {"npu"}
    with pytest.raises(DelegateBuildError, match="profile 'kirin', this device has 'npu4000'"):
        built(tmp_path / "m.ldm", NPUDelegate("npu4000"))


def test_a_model_that_a_delegate_compiled_is_imported_by_core(tmp_path: Path) -> None:
    model = built(model_path(), NPUDelegate("npu4000"))
    model.export(tmp_path / "m.ldm")
    core = Core()
    assert core.check_compatibility(tmp_path / "m.ldm", "NPU.4000").verdict == "supported"
    imported = core.import_model(tmp_path / "m.ldm", "NPU.4000")
    np.testing.assert_array_equal(imported([X])[0], model.predict([X])[0].data)
    assert imported.get_property("EXECUTION_DEVICES") == ("NPU.4000",)
    assert imported.reshaped([(1, 8, 8, 1)]).partition.delegate == "NPU.4000"


def test_a_device_of_another_name_is_another() -> None:
    core = Core()
    core.register_device("acme", lambda options: NPUDelegate())
    data = core.compile_model(model_path(), "NPU").export_model()
    with pytest.raises(DelegateBuildError, match="compiled for delegate 'NPU', found delegate 'acme'"):
        core.import_model(data, "acme")
