"""Arrays in files: headers are read first, and contents are unpacked only if they fit."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from lite_delegate import LimitError
from lite_delegate.errors import InputError, ModelFormatError
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.tensors.snapshot import StateSnapshot
from lite_delegate.runtime.array_files import FileArray, file_array
from lite_delegate.runtime.budget import Budget
from tests.commands import COMMAND, call
from tests.runtime.graphs import chain


def bomb(path: Path, shape: tuple[int, ...], dtype: str = "<f4") -> Path:
    """A .npz of few bytes whose array has a header alone, and zeros that are not worth their space."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as part,
    ):
        npy.write_array_header_1_0(part, {"descr": dtype, "fortran_order": False, "shape": shape})
        for _ in range(8):
            part.write(bytes(2**20))
    return path


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_contents_are_those_that_numpy_reads(tmp_path: Path, version: tuple[int, int], order: str, suffix: str) -> None:
    array, path = np.asarray(np.arange(24.0).reshape(2, 3, 4), order=order), tmp_path / f"a{suffix}"  # type: ignore[call-overload]
    if suffix == ".npy":
        with path.open("wb") as file:
            npy.write_array(file, array, version)
    else:
        np.savez_compressed(path, x=array)
    found = file_array("x", path)
    assert (found.shape, found.dtype, found.ndim) == ((2, 3, 4), np.dtype(np.float64), 3)
    np.testing.assert_array_equal(found.load(Budget()), array)


def test_what_would_take_too_much_is_told_by_the_header(tmp_path: Path) -> None:
    found = file_array("x", bomb(tmp_path / "b.npz", (2**40, 3)))
    with pytest.raises(LimitError, match=r"--input x: '.*b\.npz' would take 12.0 TiB of memory"):
        found.load(Budget())
    with pytest.raises(LimitError, match=r"Context\.memory_limit, 100 bytes"):
        FileArray("x", tmp_path / "b.npz", (26,), np.dtype(np.float32)).load(Budget(memory=100))


@pytest.mark.parametrize(
    ("shape", "dtype", "said"),
    [((2, 2**30), "<f4", "would take 8.0 GiB of memory"), ((2**30,), "<f4", "the model's input is FLOAT32 [2, 3]"),
     ((2, 3), "<f8", "has float64 [2, 3]"), ((2**28, 3), "<f4", "")],
)  # fmt: skip
def test_a_command_does_not_unpack_what_does_not_fit(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, said: str
) -> None:
    """Under a limit of the address space that the contents, 3 GiB and more, would not fit into."""
    write_ms(chain(1), tmp_path / "m.ms")
    path = bomb(tmp_path / "b.npz", shape, dtype)
    words = [*COMMAND, "run", str(tmp_path / "m.ms"), "--input", f"x={path}", "--memory-limit", "1G"]
    done = subprocess.run(["bash", "-c", 'ulimit -v 3000000; exec "$@"', "_", *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n"), said in done.stderr) == (2, 1, True), done.stderr


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write_ms(chain(1), tmp_path / "m.ms")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        assert "expected a regular file" in call("run", tmp_path / "m.ms", "--input", f"x={path}", status=2).stderr


def test_a_compressed_snapshot_is_none(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "s.npz", a=np.zeros(3))
    with pytest.raises(ModelFormatError, match="is compressed"):
        StateSnapshot.load(tmp_path / "s.npz")


def test_objects_are_not_read(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="Python objects"):
        file_array("x", tmp_path / "o.npy")
