"""Reproducers: what is saved fails again when it is loaded, and is saved whole or not at all."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, InputError, Kernel, Model
from lite_delegate.compare import CompareOptions, ComparisonReport, Outcome, Reproducer, compare
from lite_delegate.compare import reproducer as reproducing
from lite_delegate.formats.ms import read_ms
from lite_delegate.ir import Graph, Node, constant, make_primitive
from tests.compare.planted import Fault, OnlyTogether, Planted, built, scaled
from tests.present import present
from tests.runtime.graphs import chain, unary, value

X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}


def saved(graph: Graph, delegate: Planted, folder: Path, **arrays: np.ndarray) -> ComparisonReport:
    return compare(built(graph, delegate), arrays or X, None, Reproducer(folder, ("my:Own",), {"SPEED": "1 2"}))


def loaded(folder: Path, delegate: Planted) -> ComparisonReport:
    """The saved model and inputs, compared anew."""
    with np.load(folder / "inputs.npz") as inputs:
        return compare(built(read_ms(folder / "model.ms"), delegate), dict(inputs))


def words_of(command: Path) -> list[str]:
    """What the shell hands to ``lite-delegate``, which is another program here."""
    script = command.read_text().replace("lite-delegate ", "printf '%s\\0' ", 1)
    done = subprocess.run(["sh", "-c", script, str(command)], capture_output=True, check=True)
    return [word.decode() for word in done.stdout.split(b"\0")[:-1]]


def test_a_kernel_fails_again_when_it_is_loaded(tmp_path: Path) -> None:
    delegate = Planted({"n5": scaled})
    (culprit,) = saved(chain(8), delegate, tmp_path / "repro").culprits
    folder = Path(culprit.saved)
    assert (folder, culprit.note) == (tmp_path / "repro" / "0-n5", "")
    assert sorted(p.name for p in folder.iterdir()) == ["command.txt", "expected.npz", "inputs.npz", "model.ms"]
    again = loaded(folder, delegate)
    assert [n.name for n in read_ms(folder / "model.ms").nodes] == ["n5"]
    assert again.outcome is Outcome.WRONG
    assert again.subgraphs[0].tensors[0].own == culprit.found.tensors[0].own
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "expected.npz") as expected:
        np.testing.assert_array_equal(inputs["n4:0"], X["x"] + np.float32(15))
        np.testing.assert_array_equal(expected["n5:0"], X["x"] + np.float32(21))
    assert loaded(folder, Planted()).passed


def test_the_command_has_what_was_asked_for(tmp_path: Path) -> None:
    """Also after its folder was moved."""
    model = built(chain(2), Planted({"n0": scaled}))
    compare(model, X, CompareOptions(rtol=1e-3), Reproducer(tmp_path / "repro", ("my:Own",), {"SPEED": "1 $(2)"}))
    folder = (tmp_path / "repro" / "0-n0").rename(tmp_path / "a $HOME 'folder'")
    start = ["compare", str(folder / "model.ms"), "--delegate", "my:Own", "--delegate-option", "SPEED=1 $(2)"]
    rest = ["--rtol", "0.001", "--input", f"x={folder / 'inputs.npz'}"]
    assert words_of(folder / "command.txt") == start + rest


def test_of_several_delegates_the_command_names_the_one(tmp_path: Path) -> None:
    first, second = Planted(names=("n0",)), Planted({"n1": scaled})
    first.name, second.name = "first", "second"
    context, model = Context(), Model()
    context.set_delegates([first, second])
    context.on_delegate_error = "fallback"
    model.build_from_graph(chain(3), context)
    reproducer = Reproducer(tmp_path / "repro", ("first=my:A", "second=my:B"), {"1.K": "a", "2.K": "b"})
    found = compare(model, X, None, reproducer)
    assert (found.delegate, found.culprits[0].found.kernels) == ("first, second", ("n1",))
    words = words_of(tmp_path / "repro" / "0-n1" / "command.txt")
    assert words[2:6] == ["--delegate", "second=my:B", "--delegate-option", "K=b"]
    assert "K=a" not in words


def test_kernels_that_are_wrong_together_are_saved_together(tmp_path: Path) -> None:
    delegate = OnlyTogether("n1", "n3")
    (culprit,) = saved(chain(6), delegate, tmp_path / "repro").culprits
    again = loaded(Path(culprit.saved), delegate)
    assert again.subgraphs[0].kernels == ("n1", "n2", "n3")
    assert not again.passed


def test_each_culprit_has_a_folder(tmp_path: Path) -> None:
    delegate = Planted({"n0": scaled, "n2": scaled}, names=("n0", "n2"))
    found = saved(chain(3), delegate, tmp_path / "repro").culprits
    assert [Path(c.saved).name for c in found] == ["0-n0", "1-n2"]
    assert all(not loaded(Path(c.saved), delegate).passed for c in found)


def test_names_that_files_cannot_have_or_that_come_twice(tmp_path: Path) -> None:
    """Names of tensors need not be unique, and some are numpy's own."""
    x, y = value("file"), value("file")
    add = Node("a/b c", make_primitive("AddFusion"), [x, y], [value("file")])
    graph = Graph("g", [x, y], add.outputs, [add])
    delegate = Planted({"a/b c": scaled})
    model = built(graph, delegate)
    inputs = list(model.get_inputs())
    for tensor in inputs:
        tensor.set_data_from_numpy(X["x"])
    (culprit,) = compare(model, inputs, None, Reproducer(tmp_path / "repro", ("my:Own",))).culprits
    assert Path(culprit.saved).name == "0-a_b_c"
    assert not loaded(Path(culprit.saved), delegate).passed


def test_constants_and_shapes_are_those_of_the_model_as_it_is_now(tmp_path: Path) -> None:
    delegate = Planted({"n1": scaled})
    model = built(chain(3), delegate)
    model.resize(model.get_inputs(), [[4, 5]])
    (culprit,) = compare(
        model, {"x": np.ones((4, 5), np.float32)}, None, Reproducer(tmp_path / "repro", ("my:Own",))
    ).culprits
    graph = read_ms(Path(culprit.saved) / "model.ms")
    assert graph.inputs[0].shape == (4, 5)
    assert [present(v.data).tolist() for v in graph.values() if v.is_constant] == [[2.0]]


def test_nothing_is_saved_when_nothing_is_wrong(tmp_path: Path) -> None:
    assert saved(chain(3), Planted(), tmp_path / "repro").passed
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path, files: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reproducing, "_write", full)
    with pytest.raises(OSError, match="No space"):
        saved(chain(3), Planted({"n1": scaled}), tmp_path / "repro")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_a_model_is_said(tmp_path: Path) -> None:
    """A kernel whose inputs are all constants has no model: the format wants an input."""
    made = value("made", (2,))
    fill = Node("fill", make_primitive("Abs"), [constant("c", np.array([-1, 2], np.float32))], [made])
    x = value("x")
    graph = Graph("g", [x], [made, value("r")], [fill, unary("r", x)])
    graph.outputs[1] = graph.nodes[1].outputs[0]
    (culprit,) = saved(graph, Planted({"fill": scaled}), tmp_path / "repro").culprits
    assert culprit.saved == ""
    assert "cannot be saved" in culprit.note


def test_a_fault_that_does_not_come_back_is_said(tmp_path: Path) -> None:
    class Moody(Planted):
        """Wrong in the model and in the part by itself, right in the third graph kernel that it makes."""

        def faults_of(self, run: Sequence[Kernel]) -> dict[str, Fault]:
            return self.faults if len(self.built) <= 2 else {}

    (culprit,) = saved(chain(2), Moody({"n0": scaled}), tmp_path / "repro").culprits
    assert culprit.note == "the saved model by itself is not wrong"
    assert (Path(culprit.saved) / "model.ms").exists()


@pytest.mark.parametrize("kind", ["file", "full", "no parent"])
def test_folders_that_cannot_be_saved_in(kind: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    with pytest.raises(InputError, match="directory"):
        Reproducer(tmp_path / kind / "deep" if kind == "no parent" else tmp_path / kind, ("npu",))


def test_an_empty_folder_can(tmp_path: Path) -> None:
    (tmp_path / "repro").mkdir()
    saved(chain(2), Planted({"n1": scaled}), tmp_path / "repro")
    assert [p.name for p in (tmp_path / "repro").iterdir()] == ["0-n1"]
