"""Representative samples: what a delegate that quantizes sees, on a trained model, and what it makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite_delegate
from lite_delegate import Context, Core, DataType, Delegate, DelegateWarning, InputError, Model
from lite_delegate.cache import CacheOptions, CacheStatus
from lite_delegate.demo import load_test_set, model_path
from lite_delegate.inference.compiling.uncompiled_model import UncompiledModel
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.isolated import IsolatedDelegate
from lite_delegate.mindspore.context.context_settings import settings_of
from lite_delegate.npu import NPUDelegate
from lite_delegate.runtime.planning.samples import sample_file
from tests.runtime.planning.samples.eight_bit import EightBitDelegate, eight_bits

COUNT = 40


@pytest.fixture
def images(tmp_path: Path) -> str:
    """The file of samples: real digits."""
    np.savez(tmp_path / "samples.npz", image=load_test_set()[0][:COUNT, None])
    return str(tmp_path / "samples.npz")


def built(samples: str | None, delegate: Delegate | None = None, shape: list[int] | None = None) -> Model:
    context = Context()
    context.set_delegate(EightBitDelegate() if delegate is None else delegate)
    context.samples = samples
    model = Model()
    model.build_from_file(model_path(), context=context)
    if shape is not None:
        model.resize(model.get_inputs(), [shape])
    return model


def features() -> np.ndarray:
    """The input of the last layer for each sample, by the CPU: the model up to there, without delegates."""
    graph = Core().read_model(model_path())
    layer = next(node for node in graph.nodes if node.op_type == "FullConnection")
    graph.outputs = [value for value in layer.inputs[:1] if value is not None]
    model = Core().compile_model(graph, "CPU")
    return np.stack([model([image[None]])[0] for image in load_test_set()[0][:COUNT]])


def layer_of(delegate: EightBitDelegate) -> tuple[np.ndarray, ...]:
    (found,) = delegate.seen.values()
    return found


def test_the_delegate_sees_the_values_of_inner_tensors(images: str) -> None:
    delegate = EightBitDelegate()
    model = built(images, delegate)
    want = features()
    np.testing.assert_allclose(np.stack(layer_of(delegate)), want, atol=1e-6)
    (kernel,) = model.compiled.graph_kernels
    np.testing.assert_allclose(kernel.bounds, (want.min(), want.max()), atol=1e-6)  # type: ignore[attr-defined]
    assert set(delegate.surveyed) >= {"image", "probabilities", next(iter(delegate.seen))}
    assert delegate.surveyed["image"] == (0.0, 1.0)


def test_eight_bits_by_samples_classify_real_digits(images: str) -> None:
    pixels, labels = load_test_set()
    model = built(images)
    assert len(model.compiled.graph_kernels) == 1
    found = [int(model.predict([image[None]])[0].data.argmax()) for image in pixels[COUNT : COUNT + 100]]
    assert (np.array(found) == labels[COUNT : COUNT + 100]).mean() >= 0.95


def test_the_kernel_computes_what_a_loop_computes(images: str) -> None:
    delegate = EightBitDelegate()
    model = built(images, delegate)
    (kernel,) = model.compiled.graph_kernels
    x = layer_of(delegate)[0]
    y = np.zeros_like(kernel.outputs[0].data)
    run = kernel.bind([x], [y])
    assert run is not None
    run()
    want = eight_bits(x, kernel.bounds) @ kernel.weight.T + kernel.bias  # type: ignore[attr-defined]
    np.testing.assert_array_equal(y, want)


def test_rows_are_joined_for_a_larger_batch(images: str) -> None:
    delegate = EightBitDelegate()
    built(images, delegate, [16, 8, 8, 1])
    arrays = layer_of(delegate)
    assert [array.shape[0] for array in arrays] == [16, 16]
    np.testing.assert_allclose(np.concatenate(arrays), features()[:32, 0], atol=1e-5)


def test_too_few_rows_come_again(images: str) -> None:
    delegate = EightBitDelegate()
    built(images, delegate, [64, 8, 8, 1])
    (array,) = layer_of(delegate)
    np.testing.assert_allclose(array[COUNT:], array[: 64 - COUNT], atol=1e-6)


def test_names_of_inputs_may_have_any_characters(tmp_path: Path) -> None:
    graph = branching()
    graph.inputs[0].name = "serving/x y:0"
    np.savez(tmp_path / "s.npz", **{"serving/x y:0": np.ones((2, 4), np.float32)})  # type: ignore[arg-type]
    delegate, context, model = SeeingDelegate(), Context(), Model()
    context.set_delegate(delegate)
    context.samples = tmp_path / "s.npz"
    model.build_from_graph(graph, context)
    assert delegate.surveyed["serving/x y:0"] == (1.0, 1.0)


@pytest.mark.parametrize(
    ("stored", "planned", "samples"),
    [((2, 3), (2, 3), 1), ((1, 3), (4, 3), 4), ((2, 3), (4, 3), 2), ((3, 3), (4, 3), 0), ((1, 3), (-1, 3), 0)],
)
def test_samples_that_make_one_of_a_plan(stored: tuple[int, ...], planned: tuple[int, ...], samples: int) -> None:
    assert sample_file._factor(stored, planned) == samples


def test_without_samples_a_note_says_what_to_do() -> None:
    model = built(None)
    record = model.get_partition()
    assert not model.compiled.graph_kernels
    (note,) = [each for each in record.notes if "representative" in each]
    assert note.startswith("Delegate 'eight_bit' asks for 100 representative samples, and there are none")
    assert "--samples FILE.npz" in note
    assert any(node.reason == "its ranges need samples" for node in record.nodes)


def test_fewer_samples_than_wanted_are_noted(images: str) -> None:
    notes = built(images).get_partition().notes
    assert any("asks for 100 representative samples" in each and each.endswith("has 40.") for each in notes)


def test_samples_for_other_shapes_are_none(tmp_path: Path) -> None:
    np.savez(tmp_path / "wide.npz", image=np.zeros((3, 1, 9, 9, 1), np.float32))
    with pytest.warns(DelegateWarning, match=r"does not fit the shapes of this plan: 'image' is \[1, 8, 8, 1\]"):
        model = built(str(tmp_path / "wide.npz"))
    assert any(node.code is not None and "no samples" in node.reason for node in model.get_partition().nodes)


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"picture": np.zeros((3, 1, 8, 8, 1), np.float32)}, "has no array of that name; it has picture"),
        ({"image": np.zeros((3, 1, 8, 8, 1), np.float64)}, "input 'image' is float32, .* has float64"),
        ({"image": np.float32(1)}, "no axis for samples"),
        ({"image": np.zeros((0, 1, 8, 8, 1), np.float32)}, "has no samples"),
    ],
)
def test_a_file_that_does_not_fit_is_an_error(tmp_path: Path, arrays: dict[str, np.ndarray], text: str) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=text):
        built(str(tmp_path / "bad.npz"))


def test_a_file_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no array")
    with pytest.raises(InputError, match=r"SAMPLES image: '.*' is neither a \.npy nor a \.npz file"):
        built(str(tmp_path / "text.npz"))
    with pytest.raises(InputError, match="SAMPLES image: cannot read"):
        built(str(tmp_path / "absent.npz"))


def test_delegates_that_do_not_ask_read_no_file(tmp_path: Path) -> None:
    context = Context()
    context.set_delegate(NPUDelegate())
    context.samples = tmp_path / "absent.npz"
    model = Model()
    model.build_from_file(model_path(), context=context)
    assert context.samples == str(tmp_path / "absent.npz")
    with pytest.raises(TypeError, match="samples must be a path or None, but got int"):
        context.samples = 3  # type: ignore[assignment]


@pytest.mark.shows("runtime", "SAMPLES")
def test_the_property_of_core_is_the_same(images: str) -> None:
    core = Core()
    delegate = EightBitDelegate()
    core.register_device("EIGHT", lambda options: delegate)
    model = core.compile_model(model_path(), "HETERO:EIGHT,CPU", {"SAMPLES": images})
    assert len(model.graph_kernels) == 1
    assert len(layer_of(delegate)) == COUNT


def test_a_delegate_in_a_process_of_its_own_gets_the_same(images: str) -> None:
    isolated = IsolatedDelegate(EightBitDelegate)
    assert isolated.wanted_samples == 100
    with_own, without = built(images, isolated), built(images)
    assert len(with_own.compiled.graph_kernels) == 1
    image = load_test_set()[0][100:101]
    np.testing.assert_array_equal(with_own.predict([image])[0].data, without.predict([image])[0].data)


def test_a_process_that_is_started_again_gets_the_samples_again(images: str) -> None:
    isolated = IsolatedDelegate(EightBitDelegate)
    model = built(images, isolated)
    image = load_test_set()[0][100:101]
    before = model.predict([image])[0].data.copy()
    isolated._keeper.process().kill("was killed by the test")
    np.testing.assert_array_equal(model.predict([image])[0].data, before)
    assert isolated.started == 2


class CachingDelegate(EightBitDelegate):
    """Its graph kernels can be kept: the key is enough for this test, which looks at the entry's key only."""

    def cache_key(self) -> dict[str, str]:
        return {"device": "eight bits"}


@pytest.mark.parametrize("count", [COUNT, 140_000], ids=["few", "more than 32 MiB"])
def test_other_samples_are_another_entry_of_the_cache(count: int, tmp_path: Path) -> None:
    path = str(tmp_path / "samples.npz")
    digits = load_test_set()[0][:, None]

    def key() -> str:
        context = Context()
        context.set_delegate(CachingDelegate())
        context.samples = path
        outcome = UncompiledModel(model_path()).outcome(settings_of(context), CacheOptions(tmp_path / "cache"))
        assert outcome.status is CacheStatus.MISS
        return outcome.key

    np.savez(path, image=np.resize(digits, (count, *digits.shape[1:])))
    first = key()
    assert key() == first
    np.savez(path, image=np.resize(digits[COUNT:], (count, *digits.shape[1:])))
    assert key() != first


def branching() -> Graph:
    """y = -x where values are NaN, infinite, integers and constants."""
    x = Value("x", DataType.FLOAT32, (4,))
    n = Value("n", DataType.FLOAT32, (4,))
    i = Value("i", DataType.INT32, (4,))
    y = Value("y", DataType.FLOAT32, (4,))
    two = constant("two", np.full(4, 2, np.float32))
    kind = constant("kind", np.array(DataType.INT32, np.int32))
    nodes = [
        Node("log", make_primitive("Log"), [x], [n]),
        Node("cast", make_primitive("Cast"), [x, kind], [i]),
        Node("add", make_primitive("AddFusion"), [n, two], [y]),
    ]
    return Graph("branching", [x], [y, i], nodes)


class SeeingDelegate(EightBitDelegate):
    """Takes nothing; sees all ranges."""

    def supports(self, kernel: lite_delegate.Kernel) -> lite_delegate.SupportResult:
        return lite_delegate.Rejected(lite_delegate.RejectCode.OPERATOR, "only looking")


def test_ranges_are_of_finite_values_of_every_type(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[0, 1, 4, 2], [-1, 8, 1, 1]], np.float32))
    delegate, context, model = SeeingDelegate(), Context(), Model()
    context.set_delegate(delegate)
    context.samples = tmp_path / "x.npy"
    model.build_from_graph(branching(), context)
    found = delegate.surveyed
    assert found["x"] == (-1.0, 8.0)
    np.testing.assert_allclose(found["n"], (0.0, np.log(np.float32(8))), rtol=1e-6)
    assert found["i"] == (-1.0, 8.0)
    assert found["two"] == (2.0, 2.0)
