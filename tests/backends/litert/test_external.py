"""An external delegate of TensorFlow Lite that takes nothing, compiled here; and libraries that are none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lite_delegate import Core, DelegateUnavailable
from lite_delegate.backends.litert import LiteRTDelegate

pytest.importorskip("ai_edge_litert", reason="the package ai-edge-litert is not installed")

SOURCE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct delegate { void *data; int (*prepare)(void *, struct delegate *); void *buffers[3]; int64_t flags, more[8]; };
static int take_nothing(void *context, struct delegate *self) { return 0; }
void *tflite_plugin_create_delegate(char **names, char **values, size_t count, void (*report)(const char *)) {
  struct delegate *made = calloc(1, sizeof *made);
  for (size_t i = 0; i < count; ++i) {
    if (!strcmp(names[i], "refuse")) { report(values[i]); return NULL; }
    FILE *file = fopen(values[i], "w");
    fputs(names[i], file);
    fclose(file);
  }
  made->prepare = take_nothing;
  return made;
}
void tflite_plugin_destroy_delegate(void *made) { free(made); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of an external delegate that takes nothing."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("external")
    (folder / "nothing.c").write_text(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "nothing.so", folder / "nothing.c"], check=True)
    return folder / "nothing.so"


@pytest.mark.shows("LITERT", "DELEGATE_OPTIONS")
@pytest.mark.shared
def test_what_it_leaves_is_not_delegated_and_the_reasons_name_the_operators(
    library: Path, shared_models: Path, tmp_path: Path
) -> None:
    options = {"DEVICE_ID": str(library), "DELEGATE_OPTIONS": f"told={tmp_path / 'told.txt'}"}
    path = shared_models / "ds_cnn_kws_int8.tflite"
    with pytest.warns(UserWarning, match="12 kernels go back to the CPU"):
        compiled = Core().compile_model(path, "HETERO:LITERT,CPU", {"DEVICE_PROPERTIES": {"LITERT": options}})
    nodes = compiled.partition.nodes
    assert [node.name for node in nodes if node.subgraph is not None] == []
    assert f"'{library}' leaves CONV_2D to LiteRT's own kernels" in nodes[0].reason
    assert f"'{library}' leaves SOFTMAX to LiteRT's own kernels" in nodes[-1].reason
    assert (tmp_path / "told.txt").read_text() == "told"


def unavailable(path: Path | str, **options: str) -> str:
    """The only line that is said of a library."""
    with pytest.raises(DelegateUnavailable) as caught:
        LiteRTDelegate(str(path), delegate_options=options).init()
    (line,) = str(caught.value).splitlines()
    return line


def test_a_library_may_refuse(library: Path) -> None:
    assert unavailable(library, refuse="no such device").endswith("nothing.so no such device")


def test_a_library_that_is_absent() -> None:
    expected = "The external delegate '/absent/lib.so' of TensorFlow Lite is no file."
    assert unavailable("/absent/lib.so") == expected


def test_a_file_that_is_no_library(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.so").write_text("text")
    assert unavailable(tmp_path / "text.so").startswith("LiteRT cannot load the external delegate ")
    assert capfd.readouterr().err == ""


def test_a_library_that_is_no_delegate(tmp_path: Path, library: Path) -> None:
    compiler = shutil.which("cc") or "gcc"
    (tmp_path / "other.c").write_text("int other;")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"], check=True)
    assert "tflite_plugin_create_delegate" in unavailable(tmp_path / "other.so")


def test_a_path_in_the_working_folder(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(library.parent)
    LiteRTDelegate("nothing.so").init()
