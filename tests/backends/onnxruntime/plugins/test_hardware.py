"""Out of the devices of a provider, the user's is chosen, or the NPU before the GPU before the CPU."""

from __future__ import annotations

import pytest

from lite_delegate import DelegateUnavailable
from lite_delegate.backends.onnxruntime.plugins.hardware import chosen, hardware_of
from tests.backends.onnxruntime.plugins.packages import device

CPU, GPU, NPU = (device("P", kind) for kind in ("CPU", "GPU", "NPU"))
SECOND_GPU, OTHER = device("P", "GPU"), device("P", "TPU")


def test_kinds_are_read_off_the_type() -> None:
    assert [hardware_of(each) for each in (CPU, GPU, NPU)] == ["CPU", "GPU", "NPU"]


@pytest.mark.parametrize(
    ("devices", "wanted", "expected"),
    [
        ([CPU, GPU, NPU], "", NPU),
        ([CPU, GPU], "", GPU),
        ([CPU], "", CPU),
        ([OTHER], "", OTHER),
        ([OTHER, CPU], "", CPU),
        ([CPU, GPU, NPU], "cpu", CPU),
        ([CPU, GPU, SECOND_GPU], "GPU", GPU),
        ([CPU, GPU, SECOND_GPU], "2", SECOND_GPU),
        ([CPU, GPU], "0", CPU),
    ],
)
def test_the_choice(devices: list[object], wanted: str, expected: object) -> None:
    assert chosen(devices, "P", wanted) is expected


@pytest.mark.parametrize("wanted", ["NPU", "2", "-1", "nonsense"])
def test_a_device_that_is_not_there_is_one_line_with_those_that_are(wanted: str) -> None:
    with pytest.raises(DelegateUnavailable) as caught:
        chosen([CPU, GPU], "P", wanted)
    assert str(caught.value) == f"'P' has no device {wanted} here; there are 0 (CPU), 1 (GPU)."
