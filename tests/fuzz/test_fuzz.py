"""A short slice of the campaign over every kind of file, and that the driver sees what it is there to see."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.judges import TEXTS, judged, mutations_of
from tests.fuzz.mutations import damage
from tests.fuzz.seeds import SEEDS, seeds

SLICE = 40
"""Mutations of each kind. A campaign has a hundred thousand: ``python -m tests.fuzz``."""


@pytest.mark.parametrize("kind", sorted(SEEDS.keys() - {"onnx", "tflite"}))
def test_a_slice(kind: str) -> None:
    _judge_slice(kind)


@pytest.mark.parametrize("kind", ["onnx", "tflite"])
def test_a_slice_of_imported_models(kind: str) -> None:
    pytest.importorskip("onnx" if kind == "onnx" else "ai_edge_litert")
    _judge_slice(kind)


def _judge_slice(kind: str) -> None:
    rng, pool = random.Random(kind), seeds(kind)
    for number in range(SLICE):
        content = damage(rng, rng.choice(pool), mutations_of(kind))
        try:
            judged(kind, content)
        except BaseException as e:
            e.add_note(f"mutation {number} of kind {kind}: {content!r:.2000}")
            raise


def test_undamaged_files_work() -> None:
    for kind in sorted(TEXTS):
        assert judged(kind, seeds(kind)[0]).startswith(("status 0", "status 2")), kind
    assert judged("ms", seeds("ms")[-1]) == "ran"


PLANTED = {
    "traceback": ("raise IndexError('planted')", "IndexError: planted"),
    "hang": ("\nwhile True: pass", "worker died: -27"),
    "endless call into C": ("sum(iter(int, 1))", "worker died: -27"),
    "killed": ("import os; os.abort()", "worker died: -6"),
    "memory": ("bytes(9 << 30)", "MemoryError"),
    "memory, in an error of ours": (
        "\nfrom lite_delegate.basics.unforeseen import rejecting_unforeseen\n"
        "with rejecting_unforeseen('planted'):\n    bytes(9 << 30)",
        "MemoryError",
    ),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_is_found(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of plans fails in the third file that it is given; the campaign notes that and goes on."""
    code, expected = PLANTED[what]
    (tmp_path / "sitecustomize.py").write_text(
        "import lite_delegate.cli.options.placement as module, itertools\n"
        "count, read = itertools.count(), module.read_affinity\n"
        "def fails(path):\n"
        "    if path is not None and next(count) == 2:\n"
        f"        exec({code!r})\n"
        "    return read(path)\n"
        "module.read_affinity = fails\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    state = tmp_path / "state"
    Campaign("affinity", state, seconds=2).run(5)
    found = json.loads((state / "affinity.json").read_text())
    assert (found["done"], found["findings"]) == (5, [2])
    assert sum(found["outcomes"].values()) == 5
    assert expected in (state / "findings" / "affinity-2.txt").read_text()
    assert (state / "findings" / "affinity-2.affinity").exists()


def test_an_interrupted_campaign_goes_on_and_mutations_stay_what_they_were(tmp_path: Path) -> None:
    Campaign("affinity", tmp_path / "a").run(3)
    again = Campaign("affinity", tmp_path / "a")
    assert again.state.done == 3
    again.run(6)
    Campaign("affinity", tmp_path / "b").run(6)
    assert json.loads((tmp_path / "a/affinity.json").read_text()) == json.loads(
        (tmp_path / "b/affinity.json").read_text()
    )
