"""Whole models against LiteRT: a keyword spotter in real numbers and in 8-bit integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tflite")
interpreter_module = pytest.importorskip("ai_edge_litert.interpreter")

from lite_delegate import Context, Model  # noqa: E402
from lite_delegate.formats.ms import write_ms  # noqa: E402
from lite_delegate.formats.tflite import read_tflite  # noqa: E402
from lite_delegate.npu import NPUDelegate  # noqa: E402

SHAPE = (1, 49, 10, 1)


def want(path: Path, arrays: list[np.ndarray]) -> list[np.ndarray]:
    kind = interpreter_module.OpResolverType.BUILTIN_REF
    interpreter = interpreter_module.Interpreter(str(path), experimental_op_resolver_type=kind)
    interpreter.allocate_tensors()
    results = []
    for array in arrays:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], array)
        interpreter.invoke()
        results.append(np.array(interpreter.get_tensor(interpreter.get_output_details()[0]["index"])))
    return results


def got(path: Path, arrays: list[np.ndarray], context: Context | None = None) -> list[np.ndarray]:
    model = Model()
    model.build_from_file(path, context=context)
    model.resize(model.get_inputs(), [SHAPE])
    name = model.get_inputs()[0].name
    return [model.predict({name: array})[0].get_data_to_numpy() for array in arrays]


def inputs(dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    if dtype == "int8":
        return [rng.integers(-128, 127, SHAPE, np.int8, endpoint=True) for _ in range(10)]
    return [rng.normal(size=SHAPE).astype(np.float32) * 3 for _ in range(10)]


def test_keyword_spotter_in_real_numbers(shared_models: Path) -> None:
    path = shared_models / "ds_cnn_kws_f32.tflite"
    np.testing.assert_allclose(got(path, inputs("float32")), want(path, inputs("float32")), rtol=1e-4, atol=1e-6)


def test_keyword_spotter_in_integers_within_a_quantum(shared_models: Path) -> None:
    """Convolutions and the dense layer are equal bit for bit; mean and softmax may be a quantum apart."""
    path = shared_models / "ds_cnn_kws_int8.tflite"
    mine, theirs = (np.array(f(path, inputs("int8")), np.int32) for f in (got, want))
    assert np.abs(mine - theirs).max() <= 1
    assert (mine != theirs).mean() < 0.1


@pytest.mark.parametrize("name", ["ds_cnn_kws_f32", "ds_cnn_kws_int8"])
def test_through_ms_the_results_are_equal(shared_models: Path, tmp_path: Path, name: str) -> None:
    arrays = inputs(name.rpartition("_")[2])
    write_ms(read_tflite(shared_models / f"{name}.tflite"), tmp_path / "model.ms")
    np.testing.assert_array_equal(got(tmp_path / "model.ms", arrays), got(shared_models / f"{name}.tflite", arrays))


def test_keyword_spotter_on_the_npu(shared_models: Path) -> None:
    path = shared_models / "ds_cnn_kws_int8.tflite"
    context = Context()
    context.set_delegate(NPUDelegate())
    on_device = np.array(got(path, inputs("int8"), context), np.int32)
    assert np.abs(on_device - np.array(want(path, inputs("int8")), np.int32)).max() <= 1
