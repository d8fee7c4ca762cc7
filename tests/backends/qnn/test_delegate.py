"""Qualcomm's delegate as far as it goes without Qualcomm's package: chips, properties, refusals."""

from __future__ import annotations

import sys

import pytest

from lite_delegate import Core, DelegateUnavailable, PropertyError
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.qnn import QnnDelegate, delegate
from lite_delegate.backends.qnn.chips import ARCHITECTURES, CHIPS, Chip
from lite_delegate.errors import ModelFormatError
from lite_delegate.ir import DataType
from tests.backends.onnxruntime.trials.kernels import unary

HTP = {"backend_type": "htp", "offload_graph_io_quantization": "0"}
"""Options of all chips."""


def test_chips_have_the_options_of_the_plugin() -> None:
    assert CHIPS["htp"].options == HTP
    assert CHIPS["htp75"].options == {**HTP, "htp_arch": "75"}
    assert CHIPS["SM8650"].options == {**HTP, "htp_arch": "75", "soc_model": "57"}


def test_chips_are_told_apart() -> None:
    assert all(name == chip.name for name, chip in CHIPS.items())
    assert {chip.architecture for chip in CHIPS.values()} == {0, *ARCHITECTURES}
    numbers = [chip.soc_model for chip in CHIPS.values() if chip.soc_model]
    assert len(numbers) == len(set(numbers))
    assert len(CHIPS) == len(numbers) + len(ARCHITECTURES) + 1


@pytest.mark.shows("QNN", "DEVICE_ID")
def test_the_chip_and_the_options_come_to_the_plugin() -> None:
    qnn = QnnDelegate("SM8650", provider_options={"vtcm_mb": 4})
    assert qnn.settings.provider == "QNNExecutionProvider"
    assert qnn.settings.provider_options == {**CHIPS["SM8650"].options, "vtcm_mb": "4"}
    qnn.set_property({"DEVICE_ID": "htp73", "PROVIDER_OPTIONS": ""})
    assert qnn.settings.provider_options == CHIPS["htp73"].options
    assert QnnDelegate("htp", provider_options={"backend_type": "cpu"}).provider_options == {
        **HTP,
        "backend_type": "cpu",
    }


def test_what_is_no_chip_is_an_error() -> None:
    with pytest.raises(PropertyError, match="SM8650"):
        QnnDelegate("SM8651")
    qnn = QnnDelegate("htp75")
    with pytest.raises(PropertyError):
        qnn.set_property({"DEVICE_ID": "htp76"})
    assert qnn.chip.name == "htp75"


@pytest.mark.parametrize("chip", ["htp", "htp75", "SM8650", "SM8350"])
def test_real_numbers_are_as_exact_as_float16(chip: str) -> None:
    assert QnnDelegate(chip).storage_dtype == DataType.FLOAT16


def test_without_the_package_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime_qnn", None)
    line = "The package 'onnxruntime-qnn' is not installed: pip install 'lite-delegate[qnn]'."
    assert QnnDelegate().probe() == line
    with pytest.raises(DelegateUnavailable) as caught:
        QnnDelegate().init()
    assert str(caught.value) == line
    found = {each.name: each for each in Core().devices()}["QNN"]
    assert (found.available, found.reason) == (False, line)


def test_one_chip_for_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delegate, "is_installed", lambda package: True)
    monkeypatch.setattr(delegate, "_in_use", list[Chip]())
    monkeypatch.setattr(OnnxRuntimeDelegate, "init", lambda self: None)
    monkeypatch.setattr(QnnDelegate, "is_simulated", True)
    QnnDelegate("SM8650").init()
    QnnDelegate("SM8650").init()
    with pytest.raises(DelegateUnavailable) as caught:
        QnnDelegate("SM8750").init()
    assert str(caught.value).startswith(
        "This process emulates Qualcomm's 'SM8650' already, and cannot emulate 'SM8750'"
    )
    monkeypatch.setattr(QnnDelegate, "is_simulated", False)
    QnnDelegate("SM8750").init()


def test_kernels_of_other_delegates_are_not_its() -> None:
    (kernel,) = unary("Exp")
    assert QnnDelegate().export_kernel(kernel) is None
    assert QnnDelegate().device_file(kernel) is None
    assert OnnxRuntimeDelegate().export_kernel(kernel) is None


@pytest.mark.parametrize("data", [b"", b"not one of ours", b"\0" * 64])
def test_what_is_no_context_model_is_no_kernel(data: bytes) -> None:
    with pytest.raises(ModelFormatError):
        QnnDelegate().import_kernel(memoryview(data), (), ())


def test_a_cache_is_for_one_chip() -> None:
    keys = [QnnDelegate(chip).cache_key() for chip in ("SM8650", "SM8750", "htp75")]
    assert len({tuple(sorted(key.items())) for key in keys}) == 3
