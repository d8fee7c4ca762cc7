"""``run --image`` and ``--labels``: a picture as an input, the best classes of an output."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import DataType, Graph
from tests.commands import call
from tests.runtime.graphs import binary, unary, value

PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3) * 10


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(PIXELS).save(tmp_path / "picture.png")
    return tmp_path / "picture.png"


def relu(tmp_path: Path, shape: tuple[int, ...], dtype: DataType = DataType.FLOAT32) -> Path:
    x = value("x", shape, dtype)
    node = unary("y", x)
    node.outputs[0].dtype = dtype
    write_ms(Graph("g", [x], node.outputs, [node]), tmp_path / "relu.ms")
    return tmp_path / "relu.ms"


def answer(model: Path, folder: Path, *options: object) -> np.ndarray:
    call("run", model, *options, "-o", folder / "out.npz")
    with np.load(folder / "out.npz") as found:
        return np.asarray(found[found.files[0]])


def test_an_image_has_values_from_0_to_1_in_the_layout_of_the_input(picture: Path, tmp_path: Path) -> None:
    expected = (PIXELS / 255).astype(np.float32)
    nhwc = answer(relu(tmp_path, (1, 2, 3, 3)), tmp_path, "--preprocess", _toml(tmp_path), "--image", picture)
    np.testing.assert_allclose(nhwc[0], expected, rtol=1e-6)
    x = relu(tmp_path, (1, 3, 2, 3))
    np.testing.assert_allclose(
        answer(x, tmp_path, "--preprocess", _toml(tmp_path, "nchw"), "--image", f"x={picture}")[0],
        expected.transpose(2, 0, 1),
        rtol=1e-6,
    )


def _toml(folder: Path, layout: str = "nhwc") -> Path:
    (folder / "p.toml").write_text(f'[x]\nscale = "1/255"\nlayout = "{layout}"\n')
    return folder / "p.toml"


def test_mean_and_std_are_of_pixels_from_0_to_1_and_it_is_said(picture: Path, tmp_path: Path) -> None:
    model = relu(tmp_path, (1, 3, 2, 2))
    done = call("run", model, "--image", picture, "--mean", "0.1,0.2,0.3", "--std", "0.5", "-o", tmp_path / "y.npz")
    assert "--image x: stretch to 2 x 2, bilinear, rgb, (pixel / 255 - [0.1, 0.2, 0.3]) / 0.5;" in done.stderr
    even = np.full((2, 2, 3), 51, np.uint8)  # 0.2 of 255
    pytest.importorskip("PIL.Image").fromarray(even).save(picture)
    found = answer(model, tmp_path, "--image", picture, "--mean", "0.1,0.2,0.3", "--std", "0.5")
    np.testing.assert_allclose(found[0, :, 0, 0], [0.2, 0.0, 0.0], atol=1e-6)  # RELU takes -0.2 to 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--image", "missing.png"), "missing.png': No such file"),
        (("--image", "labels.txt"), "--image x: 'labels.txt' has no image of a format that Pillow reads."),
        (("--image", "z=picture.png"), "--image z: the model's inputs are x."),
        (("--mean", "0.5"), "are for --image, which is not given"),
        (("--image", "picture.png", "--mean", "a"), "--mean must be numbers such as 0.485,0.456,0.406; got 'a'."),
        (("--labels", "labels.txt"), "--labels: no output has the shape [1, N] with 5 numbers or more."),
    ],
)
def test_mistakes_are_one_line(picture: Path, tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    (tmp_path / "labels.txt").write_text("a\nb\n")
    done = call("run", relu(tmp_path, (1, 3, 2, 2)), *options, cwd=tmp_path, status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_best_classes_of_scores_are_shown_with_their_labels(tmp_path: Path) -> None:
    model = relu(tmp_path, (1, 7))
    np.save(tmp_path / "x.npy", np.array([[1, 9, 3, 7, 0, 5, 2]], np.float32))
    (tmp_path / "labels.txt").write_text("\n".join("abcdefg"))
    given = ("run", model, "--input", tmp_path / "x.npy")
    lines = call(*given, "--labels", tmp_path / "labels.txt").stdout.splitlines()
    start = lines.index("the best 5 of 'y:0':")
    assert [line.split() for line in lines[start + 3 : start + 8]] == [
        ["1", "9", "b"],
        ["3", "7", "d"],
        ["5", "5", "f"],
        ["2", "3", "c"],
        ["6", "2", "g"],
    ]
    assert "class  score" in call(*given).stdout
    (tmp_path / "labels.txt").write_text("a\nb\n")
    assert (
        "has 2 lines, output 'y:0' has 7 classes" in call(*given, "--labels", tmp_path / "labels.txt", status=2).stderr
    )


def test_a_model_with_several_inputs_names_them(tmp_path: Path) -> None:
    a, b = value("a"), value("b")
    node = binary("y", a, b)
    write_ms(Graph("g", [a, b], node.outputs, [node]), tmp_path / "two.ms")
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    done = call("run", tmp_path / "two.ms", "--input", tmp_path / "x.npy", status=2)
    assert "the model's inputs are a, b." in done.stderr
