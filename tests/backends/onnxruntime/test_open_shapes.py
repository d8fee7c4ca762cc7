"""Plans for several shapes share one session of ONNX Runtime, and give what ONNX Runtime gives for the file."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import onnx
import pytest

from lite_delegate import Context, DelegateBuildError, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate, graph
from lite_delegate.backends.onnxruntime import open_sessions as module
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.backends.onnxruntime.sessions.session import session_of
from tests.backends.open_models import CASES, IMAGES, built, check, random, weights
from tests.formats.onnx.comparing import imported, parsed, peer

Array = np.ndarray[Any, Any]


class Sessions:
    """Counts the sessions that delegates make from now on; they fail while ``fails`` says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[ref[Any]] = []
        self.fails = False

        def counting(model: bytes, *rest: Any) -> Any:
            if self.fails and _is_open(model):
                raise DelegateBuildError("no open dimensions today")
            session = session_of(model, *rest)
            self.made.append(ref(session))
            return session

        for room in (module, graph):
            monkeypatch.setattr(room, "session_of", counting)

    @property
    def alive(self) -> int:
        gc.collect()
        return sum(each() is not None for each in self.made)


def _is_open(model: bytes) -> bool:
    shapes = [value.type.tensor_type.shape for value in onnx.load_from_string(model).graph.input]
    return any(dim.dim_param for shape in shapes for dim in shape.dim)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    return Sessions(monkeypatch)


@pytest.mark.parametrize("name", CASES)
def test_plans_for_other_shapes_share_one_session(name: str, sessions: Sessions) -> None:
    text, constants, shapes = CASES[name]
    source, model = built(text, constants, OnnxRuntimeDelegate())
    for shape in (*shapes, *shapes):
        check(source, model, random(shape))
        assert len(model.get_partition().subgraphs) == 1
    assert len(sessions.made) <= 4, "for 1 and the first shapes alone, for two lengths, for two batches too"
    assert sessions.alive <= 2, "that of what the model was built for, and one for all others"


def test_the_first_plan_goes_over(sessions: Sessions) -> None:
    text, constants, (first, second, third) = CASES["batch"]
    source, model = built(text, constants, OnnxRuntimeDelegate())
    for shape in (first, second, third, first):
        check(source, model, random(shape))
    made = len(sessions.made)
    check(source, model, random((7, *first[1:])))
    assert len(sessions.made) == made
    (kernel,) = model.compiled.graph_kernels
    assert isinstance(kernel, OnnxRuntimeGraph)
    last = ref(kernel.shared.session)
    del kernel
    model.close()
    del model
    gc.collect()
    assert last() is None, "what the delegate remembers keeps no weights"


def test_other_weights_are_another_session(sessions: Sessions) -> None:
    delegate, shapes = OnnxRuntimeDelegate(), [(2, 3, 8, 8), (3, 3, 8, 8)]
    models = [
        built(IMAGES, {"w0": weights(6, 3, 3, 3), "w1": weights(6, 50)[:, :5].copy() if i else weights(6, 5)}, delegate)
        for i in range(2)
    ]
    for shape in shapes:
        for source, model in models:
            check(source, model, random(shape))
    kernels = [next(iter(model.compiled.graph_kernels)) for _, model in models]
    assert len({kernel.shared.session for kernel in kernels if isinstance(kernel, OnnxRuntimeGraph)}) == 2


def test_without_a_common_session_each_plan_has_its_own(sessions: Sessions) -> None:
    text, constants, shapes = CASES["batch"]
    source, model = built(text, constants, OnnxRuntimeDelegate())
    sessions.fails = True
    for shape in shapes:
        check(source, model, random(shape))
        assert len(model.get_partition().subgraphs) == 1
    assert sessions.alive == len(shapes) + 1


def test_a_shared_model_is_exported_with_its_own_constants() -> None:
    text, constants, shapes = CASES["batch and length"]
    source, model = built(text, constants, OnnxRuntimeDelegate())
    for shape in shapes[:3]:
        x = random(shape)
        check(source, model, x)
        (kernel,) = model.compiled.graph_kernels
        assert isinstance(kernel, OnnxRuntimeGraph)
        whole = kernel.shared.whole()
        session = session_of(whole.content, whole.outside, kernel.shared.settings)
        (given,) = session.get_inputs()
        for found, expected in zip(session.run(None, {given.name: x}), peer(source, {"x": x}), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read as Linux says it")
def test_memory_does_not_grow_by_the_weights_for_each_shape() -> None:
    rows = 2048
    text = """g (float[N,2048] x) => (float[N,2048] y) { m = MatMul(x, w) r = Relu(m) y = MatMul(r, w) }"""
    w = random((rows, rows)) / 64
    context = Context()
    context.set_delegate(OnnxRuntimeDelegate())
    model = Model()
    model.build_from_graph(imported(parsed(text, initializers={"w": w})), context)
    inputs = [random((count, rows)) for count in range(2, 14)]
    for x in inputs[:2]:
        model.predict([x])
    before = _resident()
    for x in inputs[2:]:
        model.predict([x])
    assert _resident() - before < 3 * w.nbytes, "ten shapes more"


def _resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
