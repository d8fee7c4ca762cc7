"""The code of docs/compare.md runs, one piece after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lite_delegate.compare import Repair
from lite_delegate.formats.ms import write_ms
from tests.compare.losing import VARIANCE, HalfDevice, far_from_zero, layer_norm

PAGE = Path(__file__).parents[2] / "docs" / "compare.md"


def test_the_code_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_ms(layer_norm(), "model.ms")
    first, second = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"delegate": HalfDevice(), "array": far_from_zero()["x"]}
    with pytest.raises(AssertionError, match="does not survive it"):
        exec(compile(first, str(PAGE), "exec"), names)
    names["array"] = names["array"] - 100
    exec(compile(first, str(PAGE), "exec"), names)
    names["array"] = far_from_zero()["x"]
    exec(compile(second, str(PAGE), "exec"), names)
    repair = names["repair"]
    assert isinstance(repair, Repair)
    assert set(repair.kept) == set(VARIANCE)
    devices = {node.name: node.device for node in names["repaired"].get_partition().nodes}
    assert {name for name, device in devices.items() if device == "CPU"} == set(VARIANCE)
