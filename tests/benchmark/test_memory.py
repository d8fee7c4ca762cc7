from __future__ import annotations

from pathlib import Path

from lite_delegate.benchmark.memory import peak_resident


def test_the_high_water_mark_is_read_in_bytes(tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmPeak:\t  900000 kB\nVmHWM:\t   1234 kB\nVmRSS:\t    1000 kB\n")
    assert peak_resident(status) == 1234 * 1024


def test_none_where_the_system_does_not_tell(tmp_path: Path) -> None:
    assert peak_resident(tmp_path / "status") is None
    (tmp_path / "status").write_text("Name:\tpython\n")
    assert peak_resident(tmp_path / "status") is None
