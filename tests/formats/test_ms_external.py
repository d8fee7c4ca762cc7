"""Weights beside the model: where they may be, and that a model cannot reach anything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import ModelFormatError
from lite_delegate.formats.ms import read_ms
from lite_delegate.ir import Graph
from tests.formats.handmade import M

WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder, with weights in it, below it and outside it."""
    inside = tmp_path / "model"
    (inside / "below").mkdir(parents=True)
    for path in (inside / "w.msw", inside / "below" / "w.msw", tmp_path / "secret"):
        path.write_bytes(b"head" + WEIGHT.tobytes())
    return inside


def read(folder: Path, **entry: Any) -> Graph:
    model = M().tensor(1, data=None, externalData=({"offset": 4, "length": 24, **entry},))
    (folder / "m.ms").write_bytes(model.bytes())
    return read_ms(folder / "m.ms")


def weight(graph: Graph) -> Any:
    value = graph.nodes[0].inputs[1]
    assert value is not None
    return value.data


@pytest.mark.parametrize("location", ["w.msw", "./w.msw", "below/w.msw"])
def test_weights_in_the_models_folder_are_read(folder: Path, location: str) -> None:
    data = weight(read(folder, location=location))
    np.testing.assert_array_equal(data, WEIGHT)
    assert not data.flags.writeable


def test_a_length_below_1_means_up_to_the_end(folder: Path) -> None:
    np.testing.assert_array_equal(weight(read(folder, location="w.msw", length=-1)), WEIGHT)


@pytest.mark.parametrize(
    "location", ["../secret", "below/../../secret", "..\\secret", "/etc/passwd", "C:\\secret", "\\x"]
)
def test_locations_that_leave_the_folder_are_rejected(folder: Path, location: str) -> None:
    with pytest.raises(ModelFormatError, match="must be relative to the model and must not leave its directory"):
        read(folder, location=location)


def test_links_that_leave_the_folder_are_rejected(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    with pytest.raises(ModelFormatError, match="leads out of the model's directory"):
        read(folder, location="link")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"location": "none"}, "weights file '.*none': no such file"),
        ({"location": "below"}, "weights file '.*below': expected a file, found a directory"),
        ({"location": "nul\0"}, "is not a path|cannot be read"),
        ({"location": "x" * 5000}, "is not a path|cannot be read"),
        ({"location": "w.msw", "offset": -1}, "expected 24 bytes at -1 in 'w.msw', which has 28"),
        ({"location": "w.msw", "offset": 5}, "expected 24 bytes at 5 in 'w.msw', which has 28"),
        ({"location": "w.msw", "offset": 2**63 - 1}, "expected 24 bytes at 9223372036854775807"),
        ({"location": "w.msw", "offset": 29, "length": -1}, "expected -1 bytes at 29"),
        ({"location": "w.msw", "length": 23}, r"shape \[2, 3\] of FLOAT32 takes 24 bytes, found 23"),
    ],
)
def test_bytes_that_are_not_there_are_noticed(folder: Path, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFormatError, match=message):
        read(folder, **entry)


def test_the_same_bytes_cannot_be_asked_for_over_and_over(folder: Path) -> None:
    model = M()
    tensor = model.tensor(1, data=None, externalData=({"location": "w.msw", "offset": 4, "length": 24},))
    assert tensor.allTensors is not None
    many = M(allTensors=[*tensor.allTensors, *(replace(tensor.allTensors[1]) for _ in range(5))])
    (folder / "m.ms").write_bytes(many.bytes())
    with pytest.raises(ModelFormatError, match=r"tensors use more than twice the 28 bytes of 'w.msw'"):
        read_ms(folder / "m.ms")
