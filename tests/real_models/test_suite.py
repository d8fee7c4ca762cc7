"""The suite of real models itself: its list, its inputs, its tables, and what it does without packages."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, save

from lite_delegate.npu.profiles import profile_names
from tests.real_models import __main__ as command
from tests.real_models.answers import answer_of
from tests.real_models.catalog import Answer, RealModel, RealPackage, read_catalog
from tests.real_models.inputs import MAKERS, made, scaled
from tests.real_models.measure import EXPECTED, LEAST_SNR_DB, Row, rows_of
from tests.real_models.packages import Unavailable, unpacked
from tests.real_models.png import read_png
from tests.real_models.table import BEGIN, END, folded, markdown_table, text_table, written


def test_the_list_is_whole() -> None:
    found = read_catalog()
    assert len({(p.name, p.version) for p in found}) == len(found) >= 10
    for package in found:
        assert package.license
        for model in package.models:
            assert all(recipe[0] in (*MAKERS, "picture") for recipe in model.inputs), model.path
            assert not model.shapes or len(model.shapes) == len(model.inputs), model.path
            assert not model.judged_by or (EXPECTED / model.judged_by).is_file(), model.path
            assert set(model.least_snr_db) <= {*LEAST_SNR_DB}, model.path
            assert {*model.least_coverage, *model.most_subgraphs} <= {*profile_names()}, model.path
            assert model.known or not (model.least_snr_db or model.fails), f"{model.path} does not say why"
    assert sum(model.is_quick for package in found for model in package.models) <= 8


def png(color: int, image: Any, filters: list[int]) -> bytes:
    """A file with these filters by line, each by the definition."""
    height, width = image.shape[:2]
    flat = image.reshape(height, -1).astype(int)
    step = flat.shape[1] // width
    lines = b""
    for y, kind in enumerate(filters):
        above = flat[y - 1] if y else np.zeros_like(flat[0])
        left, corner = (np.concatenate([np.zeros(step, int), row[:-step]]) for row in (flat[y], above))
        triples = list(zip(left.tolist(), above.tolist(), corner.tolist(), strict=True))
        sums = [a + b - c for a, b, c in triples]
        nearest = [
            sorted((abs(n - e), i, n) for i, n in enumerate(t))[0][2] for t, e in zip(triples, sums, strict=True)
        ]
        guess = [np.zeros_like(left), left, above, (left + above) // 2, np.array(nearest)][kind]
        lines += bytes([kind]) + ((flat[y] - guess) % 256).astype(np.uint8).tobytes()
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)), (b"IDAT", zlib.compress(lines))]
    packed = b"".join(struct.pack(">I", len(d)) + k + d + bytes(4) for k, d in [*chunks, (b"IEND", b"")])
    return b"\x89PNG\r\n\x1a\n" + packed


@pytest.mark.parametrize(("color", "channels"), [(0, 1), (2, 3), (6, 4)])
def test_pictures_are_read(color: int, channels: int) -> None:
    image = np.random.default_rng(color).integers(0, 256, (6, 5, channels), np.uint8)
    got = read_png(png(color, image, [0, 1, 2, 3, 4, 4]))
    np.testing.assert_array_equal(got, np.repeat(image, 3, axis=2) if channels == 1 else image[..., :3])


def test_pictures_of_other_kinds_are_named() -> None:
    with pytest.raises(ValueError, match="expected 8 bits"):
        read_png(png(3, np.zeros((1, 1, 1), np.uint8), [0]))


def test_scaled_pictures() -> None:
    image = np.arange(16).reshape(4, 4, 1)
    np.testing.assert_array_equal(scaled(image, [1, 2, 2, 2], 2, 2)[..., 0], [[6, 7], [10, 11]])
    np.testing.assert_array_equal(scaled(image, [0, 0, 4, 4], 2, 2)[..., 0], [[2, 4], [10, 12]])


def test_made_inputs_have_the_shape(tmp_path: Path) -> None:
    assert made(["fill", 16000, "int64"], [], tmp_path).tolist() == 16000
    assert made(["text", "ab"], [1, 2048], tmp_path)[0, [0, 1, 2, 2045, 2046, 2047]].tolist() == [97, 98, 256, 256, 97, 98]  # fmt: skip # noqa: E501
    spectrum = np.abs(np.fft.rfft(made(["tone", 440.0, 8000.0], [1, 8000, 1], tmp_path).ravel()))
    assert int(spectrum.argmax()) == 440
    assert 0.2 < np.abs(made(["vowel"], [1, 512], tmp_path)).max() <= 0.3


def test_answers(tmp_path: Path) -> None:
    scores = np.array([[[0.0, 5.0], [3.0, 1.0], [2.0, 9.0]]])
    assert answer_of(Answer("argmax", 0, axis=1, reduce="max"), [scores], tmp_path) == 2
    assert answer_of(Answer("argmax", 0, axis=1, first=1), [scores], tmp_path) == 1
    assert answer_of(Answer("above", True, threshold=8.0), [scores], tmp_path) is True
    graph = helper.make_graph([], "empty", [], [])
    model = helper.make_model(graph)
    helper.set_model_props(model, {"character": "a\nb"})
    save(model, tmp_path / "read.onnx")
    classes = np.eye(4)[[1, 1, 0, 1, 2, 2, 3]][None]
    assert answer_of(Answer("text", ""), [classes], tmp_path / "read.onnx") == "aab "


@pytest.fixture
def package(tmp_path: Path) -> RealPackage:
    """A package whose model doubles its input, in the cache."""
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 3]) for n in ("x", "y")]
    node = helper.make_node("Add", ["x", "x"], ["y"])
    made = helper.make_model(helper.make_graph([node], "g", value[:1], value[1:]), opset_imports=[helper.make_opsetid("", 17)], ir_version=9)  # fmt: skip # noqa: E501
    folder = tmp_path / "twice-1.0"
    folder.mkdir()
    save(made, folder / "model.onnx")
    model = RealModel(
        "model.onnx", [["noise"]], [[2, 3]], least_coverage={"generic": 100.0}, most_subgraphs={"generic": 1}
    )
    return RealPackage("twice", "1.0", "MIT", [model])


def test_a_model_is_measured(package: RealPackage, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    folder = unpacked(package, tmp_path)
    first, second = rows_of("twice", package.models[0], folder, tmp_path, ["none", "npu:generic"])
    assert (first.judge, first.kernels, first.delegated, first.problems) == ("ONNX Runtime", 1, 0, ())
    assert first.snr_db is not None
    assert first.snr_db > 100
    assert first.ratio is not None
    assert (second.coverage, second.subgraphs, second.ratio, second.problems) == (100.0, 1, None, ())


def test_what_is_not_as_expected_is_said(package: RealPackage, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    answer = Answer("argmax", 7)
    strict = RealModel(
        "model.onnx", [["noise"]], [[2, 3]], answer, least_snr_db={"npu": 300.0}, most_subgraphs={"generic": 0}
    )
    (row,) = rows_of("twice", strict, unpacked(package, tmp_path), tmp_path, ["npu:generic"])
    assert [text.partition(",")[0] for text in row.problems] == [
        "expected 300 dB",
        "expected the answer 7",
        "expected up to 0 subgraphs",
    ]
    broken = RealModel("model.onnx", [["noise"]], [[2, 4]])
    (row,) = rows_of("twice", broken, unpacked(package, tmp_path), tmp_path, ["none"])
    assert row.configuration == "(all)"
    assert row.problems


def test_a_package_is_downloaded_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **more: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "p-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr("p/a.onnx", "a")
            archive.writestr("p/other", "b")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    wanted = RealPackage("p", "1.0", "MIT", [RealModel("p/a.onnx", [])])
    folder = unpacked(wanted, tmp_path)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["a.onnx"]
    unpacked(wanted, tmp_path)
    assert [command[-1] for command in asked] == ["p==1.0"]
    assert "--no-deps" in asked[0]
    with pytest.raises(Unavailable, match=r"p-1.0-py3-none-any.whl has no p/missing"):
        unpacked(RealPackage("p", "1.0", "MIT", files=["p/missing"]), tmp_path)


def test_without_packages_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], **more: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "WARNING: no\nERROR: No matching distribution found\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert command.main(["--quick", "--cache", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "not run: pip download scikit-image==0.25.2: No matching distribution found" in said
    assert said.endswith("0 passed, 0 failed, 1 skipped\n")
    assert command.main(["--cache", str(tmp_path)]) == 2


def test_tables() -> None:
    row = Row("p", "a.onnx", "none", "LiteRT", 10, 5, 1, 63.21, 0.99999, "cat", 1.26, ("expected 70 dB, found 63.2",))
    for table in (text_table([row]), markdown_table([row], [RealPackage("p", "1.0", "MIT")], ["p: gone"])):
        for word in ("a.onnx", "50 %", "63", "1.0000", "cat", "1.3x", "expected 70 dB"):
            assert word in table
    assert "`p==1.0`" in markdown_table([row], [RealPackage("p", "1.0", "MIT")], [])
    assert "not in this table: the configurations npu:generic" in markdown_table([row], [], [])
    assert "not run: p: gone" in markdown_table([row], [], ["p: gone"])
    page = written(f"head\n{BEGIN}\nold\n{END}\ntail", "new")
    assert page == f"head\n{BEGIN}\n\nnew\n\n{END}\ntail"


@pytest.mark.nightly
def test_every_model_is_as_expected() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.real_models"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        pytest.skip(done.stdout.splitlines()[-2])
    assert done.returncode == 0, done.stdout


def test_configurations_with_one_result_share_a_line() -> None:
    lines = [("m", "none", "1"), ("m", "npu:a", "2"), ("m", "npu:b", "2"), ("n", "npu:b", "2")]
    assert folded(lines) == [("m", "none", "1"), ("m", "npu:a, npu:b", "2"), ("n", "npu:b", "2")]
