"""The code of every document runs, or a table says why not; every command in them is one that there is."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import onnx
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, Core, Model, PartitionOptions, StateSnapshot
from lite_delegate.cli.main import main
from lite_delegate.formats.ms import write_ms
from lite_delegate.npu import NPUDelegate
from tests.backends.onnxruntime.test_delegate import small_model
from tests.formats.tflite.models import G, Op, model_bytes, out
from tests.runtime.graphs import chain

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    "README.md": ("test_readme.py",),
    "docs/backends.md": ("test_backends_pages.py",),
    "docs/batch_ray.md": ("batch/engines/test_ray.py",),
    "docs/compare.md": ("compare/test_page.py",),
    "docs/from_mindspore_lite.md": ("test_from_mindspore_lite.py",),
    "docs/from_openvino.md": ("test_from_openvino.py",),
    "docs/isolated.md": ("isolated/test_page.py",),
    "docs/placement.md": ("test_backends_pages.py",),
    "docs/running.md": ("inference/state/test_page.py", "test_remote_page.py", "inference/requests/test_log.py"),
    "docs/passes.md": ("passes/test_writing_passes.py",),
}
"""Pages whose code a test of their own runs, and says what it gives."""
NOT_RUN = {
    ("docs/onnx.md", 1): "it runs all cases that ONNX publishes, which tests/onnx_cases.py does",
    **{("docs/delegates.md", number): "tests/test_around_a_runtime.py runs it" for number in range(3)},
}
"""Pieces of code that are not run, by page and number, and why."""
SHELLS = ("sh", "console", "")


def blocks(page: Path, *kinds: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind in kinds]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def readme_delegate() -> str:
    return next(code for code in blocks(ROOT / "README.md", "python") if "class MyDelegate(" in code)


def write_files(folder: Path) -> None:
    """What pages read: models of every format, a delegate."""
    write_ms(chain(3), folder / "model.ms")
    model = small_model()
    model.graph.node[-2].output[0] = model.graph.output[0].name = "logits"
    onnx.save(model, folder / "model.onnx")
    keyword = G([out(shape=(1, 49, 10, 1)), out(shape=(1, 49, 10, 1))], [Op("ABS", [0], [1])], [0], [1])
    (folder / "keyword.tflite").write_bytes(model_bytes([keyword]))
    (folder / "my_delegate.py").write_text(readme_delegate())
    (folder / "my_chip.toml").write_text('base = "npu4000"\n')
    (folder / "plan.json").write_text('{"n0": "npu"}')


def built(context: Context, file: str = "model.ms") -> Model:
    model = Model()
    model.build_from_file(file, context=context)
    return model


def given(page: str) -> dict[str, Any]:
    """The names that the code of a page takes for granted: those of the sentences around it, and of pages before."""
    context = Context()
    delegate = NPUDelegate("npu4000")
    context.set_delegate(delegate)
    context.on_delegate_error = "fallback"
    x: Array = np.ones((1, 3, 12, 10) if page == "docs/onnx.md" else (2, 3), np.float32)
    names: dict[str, Any] = {"np": np, "Path": Path, "Context": Context, "Model": Model, "Core": Core}
    names |= {"PartitionOptions": PartitionOptions, "StateSnapshot": StateSnapshot, "NPUDelegate": NPUDelegate}
    names |= {"context": context, "delegate": delegate, "model": built(context), "x": x}
    names |= PAGE_NAMES.get(page, dict)()
    return names


def _passes() -> dict[str, Any]:
    from lite_delegate.npu.device.instructions.lookup import Function, Lookup
    from lite_delegate.npu.ir.editing import Edit
    from lite_delegate.npu.ir.module import Module
    from lite_delegate.npu.passes.canonicalize import Canonicalize
    from lite_delegate.npu.passes.module_pass import ModulePass

    return {each.__name__: each for each in (Function, Lookup, Module, Edit, Canonicalize, ModulePass)}


def _importers() -> dict[str, Any]:
    from lite_delegate.formats.onnx.conversion import OnnxNode
    from lite_delegate.ir import Value

    return {"OnnxNode": OnnxNode, "Value": Value}


def _cached() -> dict[str, Any]:
    from lite_delegate import CacheOptions

    return {"CacheOptions": CacheOptions, "model": Model()}


def _two_delegates() -> dict[str, Any]:
    npu, gpu = NPUDelegate(), NPUDelegate("kirin")
    npu.name, gpu.name = "npu", "gpu"
    return {"npu": npu, "gpu": gpu}


def _rows() -> dict[str, Any]:
    np.save("rows.npy", np.ones((5, 3, 12, 10), np.float32))
    return {}


PAGE_NAMES = {
    "docs/batch.md": _rows,
    "docs/compiled_models.md": _cached,
    "docs/delegates.md": _two_delegates,
    "docs/npu/compiler.md": _passes,
    "docs/onnx.md": _importers,
    "docs/tflite.md": lambda: {"features": np.ones((1, 49, 10, 1), np.float32)},
}
RUN_HERE = [page for page in PAGES if blocks(page, "python") and named(page) not in ELSEWHERE]


@pytest.mark.parametrize("page", RUN_HERE, ids=named)
@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = {**given(named(page)), "__name__": "page"}
    for number, code in enumerate(blocks(page, "python")):
        if (named(page), number) not in NOT_RUN:
            exec(compile(code, f"{named(page)}, piece {number}", "exec"), names)
    sys.modules.pop("my_delegate", None)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_with_a_test_of_its_own_is_read_there(page: str) -> None:
    for test in ELSEWHERE[page]:
        text = (ROOT / "tests" / test).read_text(encoding="utf-8")
        assert Path(page).name in text
        assert "python" in text
        assert "exec(" in text or "sys.executable" in text or "run_page(" in text


def test_what_is_not_run_is_there() -> None:
    assert [(page, number) for page, number in NOT_RUN if number >= len(blocks(ROOT / page, "python"))] == []


def commands() -> Iterator[tuple[str, str]]:
    """Every command line of ours in a document, with the page."""
    for page in PAGES:
        for code in blocks(page, *SHELLS):
            for line in code.replace("\\\n", " ").splitlines():
                typed = line.removeprefix("$ ")
                if typed.startswith("lite-delegate ") and "..." not in typed:
                    yield named(page), typed


COMMANDS = sorted(set(commands()))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_files(folder)
    return folder


@pytest.mark.parametrize(("page", "typed"), COMMANDS)
def test_a_command_of_a_page_has_its_arguments_and_options(
    page: str, typed: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    parse(typed)


def parse(typed: str) -> None:
    words = shlex.split(typed, comments=True)[1:]
    assert isinstance(main, click.Group)
    with main.make_context("lite-delegate", words) as context:
        _parse_in(main, words, context)


def _parse_in(group: click.Group, words: list[str], context: click.Context) -> None:
    name, command, rest = group.resolve_command(context, words)
    assert command is not None
    with command.make_context(name, rest, parent=context) as inner:
        if isinstance(command, click.Group) and not command.invoke_without_command:
            _parse_in(command, rest, inner)


def test_commands_are_found_in_documents_and_wrong_ones_are_seen() -> None:
    assert len(COMMANDS) > 30
    for wrong in ("run model.ms --nonesuch", "nonesuch", "report", "cache lst"):
        with pytest.raises((click.UsageError, SystemExit)):
            parse(f"lite-delegate {wrong}")
