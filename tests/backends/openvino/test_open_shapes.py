"""Plans for several shapes share one compiled model of OpenVINO, and give what ONNX Runtime gives for the file."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import numpy as np
import pytest

from lite_delegate import Core
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.blob import exported, imported
from lite_delegate.backends.openvino.graph import OpenVINOGraph
from lite_delegate.backends.openvino.models.compiled import SharedCompiledModel
from lite_delegate.backends.openvino.open_models import OpenCompiledModel
from tests.backends.open_models import CASES, built, check, random
from tests.formats.onnx.comparing import imported as graph_of
from tests.formats.onnx.comparing import parsed, peer

pytest.importorskip("openvino")
STEPS = """g (float[L,N,8] x) => (float[L,1,N,4] y) { y = GRU<hidden_size = 4, linear_before_reset = 1>(x, w, r) }"""


class Compiled:
    """Counts the models that are compiled from now on; those with open dimensions fail while ``fails`` says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[ref[Any]] = []
        self.fails = False
        original = SharedCompiledModel.compiled_model

        def counting(prepared: SharedCompiledModel) -> Any:
            if self.fails and isinstance(prepared, OpenCompiledModel):
                raise RuntimeError("no open dimensions today")
            compiled = original(prepared)
            self.made.append(ref(compiled))
            return compiled

        monkeypatch.setattr(SharedCompiledModel, "compiled_model", counting)

    @property
    def alive(self) -> int:
        gc.collect()
        return sum(each() is not None for each in self.made)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Compiled:
    return Compiled(monkeypatch)


@pytest.mark.parametrize("name", CASES)
def test_plans_for_other_shapes_share_one_compiled_model(name: str, compiled: Compiled) -> None:
    text, constants, shapes = CASES[name]
    source, model = built(text, constants, OpenVINODelegate())
    more = [(shape[0] + 7, *shape[1:]) for shape in shapes]
    for shape in (*shapes, *more, *shapes):
        check(source, model, random(shape))
        assert len(model.get_partition().subgraphs) == 1
    assert len(compiled.made) <= 5, "for 1, for two shapes alone, for the first three, for all"
    before = len(compiled.made)
    for shape in shapes:
        check(source, model, random((shape[0] + 20, *shape[1:])))
    assert len(compiled.made) == before
    model.close()
    del model
    assert compiled.alive == 0, "what the delegate remembers keeps no weights"


def test_what_depends_on_an_open_dimension_is_compiled_for_each_shape(compiled: Compiled) -> None:
    source, model = built(STEPS, {"w": random((1, 12, 8)), "r": random((1, 12, 4))}, OpenVINODelegate())
    shapes = [(2, 4, 8), (2, 6, 8), (3, 10, 8), (5, 12, 8)]
    for shape in shapes:
        check(source, model, random(shape))
    assert len(compiled.made) == len(shapes) + 1


def test_without_a_common_model_each_plan_has_its_own(compiled: Compiled) -> None:
    text, constants, shapes = CASES["batch"]
    source, model = built(text, constants, OpenVINODelegate())
    compiled.fails = True
    for shape in (*shapes, (9, *shapes[0][1:])):
        check(source, model, random(shape))
    assert compiled.alive == len(shapes) + 2


def test_a_shared_model_is_exported_with_its_own_constants() -> None:
    text, constants, shapes = CASES["batch and length"]
    source, model = built(text, constants, OpenVINODelegate())
    for shape in (*shapes, (9, 40, 8)):
        x = random(shape)
        check(source, model, x)
        (kernel,) = model.compiled.graph_kernels
        assert isinstance(kernel, OpenVINOGraph)
        again = imported(memoryview(exported(kernel.shared)), kernel.outputs, kernel.shared.settings)
        again.load()
        expected = peer(source, {"x": x})
        found = [np.empty_like(each) for each in expected]
        again.request().bind([x], found)()
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def test_requests_go_from_shape_to_shape() -> None:
    text, constants, shapes = CASES["batch and length"]
    source = parsed(text, initializers=constants)
    request = Core().compile_model(graph_of(source), "OPENVINO").create_infer_request()
    for shape in (*shapes, (9, 40, 8), *shapes):
        x = random(shape)
        for found, expected in zip(request.infer([x]), peer(source, {"x": x}), strict=True):
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-5)
