"""Cycles of layers in rows as the plugin writes them; the rows are made up."""

from __future__ import annotations

import pytest

from lite_delegate.backends.onnxruntime.sessions.layers import WrittenLayer
from lite_delegate.backends.qnn.cycles import layers_in

WRITTEN = {
    "a1": WrittenLayer("first", "Transpose"),
    "a2": WrittenLayer("first", "Conv", ("a1",)),
    "a3": WrittenLayer("first", "Reshape", ("a2",)),
    "a4": WrittenLayer("second", "Relu", ("a3",)),
    "a5": WrittenLayer("", "Identity", ("a4",)),
}


def row(kind: str, value: object, unit: str, text: str) -> list[str]:
    return ["7", kind, str(value), unit, "BACKEND", "LEVEL", text]


def run(run_us: int, nodes: dict[str, int]) -> list[list[str]]:
    """The rows of one run."""
    counted = [row("NODE", cycles, "CYCLES", f"{name} (cycles)") for name, cycles in nodes.items()]
    total = row("BACKEND", run_us, "US", "Accelerator (execute) time")
    return [*counted, row("BACKEND", 99999, "US", "Another time"), total, row("EXECUTE", 1, "US", "all")]


WARMING = run(10**6, {"k/a2:OpId_3": 10**9})


def test_means_of_all_runs_but_the_first() -> None:
    head = ["Msg Timestamp", "Message", "Time", "Unit", "Source", "Level", "Identifier"]
    rows = [
        head,
        *WARMING,
        *run(100, {"first/a2:OpId_3": 600, "first/a3:OpId_4": 200, "second/a4 OpId_5": 200}),
        *run(300, {"first/a2:OpId_3": 800, "first/a3:OpId_4": 400, "second/a4 OpId_5": 0}),
    ]
    first, second = layers_in(rows, WRITTEN, "emulator")
    assert (first.name, first.type, first.implementation, first.was_run) == ("first", "Conv", "emulator", True)
    assert (first.cycles, second.cycles) == (1000, 100)
    assert (first.real_us, second.real_us) == pytest.approx(((80 + 300) / 2, (20 + 0) / 2))
    assert second.cpu_us is None


def test_nodes_of_no_layer_keep_their_names_and_layers_without_cycles_were_not_run() -> None:
    rows = [*WARMING, *run(10, {"Input OpId_1 (cycles)": 1, "Input OpId_2": 50, "a4:OpId_3": 50})]
    found = {each.name: each for each in layers_in(rows, WRITTEN, "emulator")}
    assert list(found) == ["Input", "second", "first"]
    assert (found["Input"].type, found["Input"].cycles) == ("HTP", 50)
    assert (found["first"].was_run, found["first"].cycles, found["first"].type) == (False, None, "Conv")


def test_other_rows_are_passed_over() -> None:
    nodes = {"a4:OpId_3": 50}
    others = [
        [],
        ["short"],
        row("NODE", "many", "CYCLES", "a4:OpId_3 (cycles)"),
        row("NODE", 7, "US", "a4:OpId_3 (cycles)"),
        row("ROOT", 7, "CYCLES", "a4:OpId_3 (cycles)"),
        row("NODE", 7, "CYCLES", "a4:OpId_3 (resources)"),
    ]
    (second, _) = layers_in([*WARMING, *others, *run(10, nodes)], WRITTEN, "emulator")
    assert second.cycles == 50


def test_a_run_without_cycles_is_a_run() -> None:
    (second, _) = layers_in([*WARMING, *run(10, {"a4:OpId_3": 50}), *run(10, {})], WRITTEN, "emulator")
    assert (second.cycles, second.real_us) == (25, 5.0)


def test_a_file_that_was_cut_off_before_the_second_run_has_no_layers_that_ran() -> None:
    assert not [each for each in layers_in(WARMING, WRITTEN, "emulator") if each.was_run]
    assert not [each for each in layers_in([], WRITTEN, "emulator") if each.was_run]
