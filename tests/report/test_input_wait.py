"""The time for which a device waits for input, in reports: asked for by an option, an estimate by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate import Context, Model
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import partition_report
from tests.npu.test_activation_forms import native

SLOW = """base = "npu3720"
description = "a device behind a slow link"
[memory]
dma_bytes_per_cycle = 1
dma_engines = 1
[defaults]
latency_dma_engines = 1
throughput_dma_engines = 1
"""


def report_on(tmp_path: Path, **options: str) -> dict[str, object]:
    (tmp_path / "slow.toml").write_text(SLOW)
    context = Context()
    context.set_delegate(NPUDelegate(str(tmp_path / "slow.toml"), options=options))
    model = Model()
    model.build_from_graph(native("leaky"), context)
    report = partition_report(model)
    data = json.loads(report.to_json())
    return {"text": report.to_text(), "markdown": report.to_markdown(), "us": data["subgraphs"][0]["input_wait_us"]}


@pytest.mark.shows("NPU", "VPU_PRINT_RECEIVE_TENSOR_TIME")
def test_it_is_there_on_request_alone(tmp_path: Path) -> None:
    silent = report_on(tmp_path)
    assert silent["us"] is None
    assert "waiting" not in str(silent["text"])
    asked = report_on(tmp_path, VPU_PRINT_RECEIVE_TENSOR_TIME="YES")
    assert float(str(asked["us"])) >= 0
    for form in ("text", "markdown"):
        assert "us for input where one prediction follows the other (an estimate, not measured)" in str(asked[form])
