"""What the log says of models and requests: who, at which level, and never what is secret."""

from __future__ import annotations

import logging
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    CacheOptions,
    Context,
    Core,
    DelegateExecuteError,
    DelegateWarning,
    Encryption,
    Model,
    PartitionOptions,
)
from lite_delegate.delegate.calls.log import LEVELS, TRACE, DelegateLog, of_model
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference import CompiledModel
from lite_delegate.npu import Device, Faults, NPUDelegate
from lite_delegate.properties import Choice, Layer, PropertySpec, Registry, Values
from lite_delegate.testing.delegates import NamedDelegate
from tests.pages import section
from tests.runtime.graphs import chain

LINE = re.compile(
    r"(?P<device>\S+) (?P<level>\w+): model '(?P<model>[^']*)'(, request (?P<request>\d+))?: (?P<text>.+)"
)
SECRET, VALUE = b"the key of the vault", 12345.678


class Untouchable:
    """Cannot be made text of."""

    def __str__(self) -> str:
        raise AssertionError("a line that nobody wants was made")

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return str(self)


def ran(device: str, level: str, requests: int = 1) -> CompiledModel:
    core = Core()
    core.set_property({"LOG_LEVEL": level})
    compiled = core.compile_model(model_path(), device)
    for _ in range(requests):
        compiled.create_infer_request().infer([np.zeros(each.shape, np.float32) for each in compiled.inputs])
    return compiled


def lines(err: str) -> list[re.Match[str]]:
    found = [LINE.fullmatch(line) for line in err.splitlines()]
    assert None not in found, err
    return [each for each in found if each is not None]


@pytest.mark.parametrize("device", ["NPU.4000", "HETERO:NPU.kirin,CPU", "CPU"])
def test_every_line_names_device_and_model_and_lines_of_runs_name_the_request(device, capsys):
    requests = [ran(device, "TRACE").create_infer_request() for _ in range(2)]
    capsys.readouterr()
    for request in requests:
        request.infer([np.zeros((1, 8, 8, 1), np.float32)])
    found = lines(capsys.readouterr().err)
    assert {each["model"] for each in found} == {"digits"}
    assert {each["device"] for each in found} == {device.removeprefix("HETERO:").removesuffix(",CPU")}
    assert {each["request"] for each in found} == {str(request.number) for request in requests}


def test_runs_of_other_threads_have_their_own_requests(capsys):
    compiled = ran("NPU.4000", "TRACE", 0)
    capsys.readouterr()
    requests = [compiled.create_infer_request() for _ in range(4)]
    for request in requests:
        request.start_async([np.zeros((1, 8, 8, 1), np.float32)])
    for request in requests:
        request.wait()
    found = [each for each in lines(capsys.readouterr().err) if "upload on" in each["text"]]
    assert sorted(int(each["request"]) for each in found) == sorted(request.number for request in requests)


@pytest.mark.shows("CPU", "LOG_LEVEL")
@pytest.mark.parametrize("device", ["NPU.4000", "CPU"])
@pytest.mark.parametrize("level", LEVELS)
def test_levels_filter(device, level, capsys):
    ran(device, level)
    said = [each["text"] for each in lines(capsys.readouterr().err)]
    rank = LEVELS.index(level)
    assert any(text.startswith("compiled in ") for text in said) == (rank >= LEVELS.index("LOG_INFO"))
    assert any(text.startswith("run done after ") for text in said) == (rank >= LEVELS.index("LOG_DEBUG"))
    commands = {command for text in said for command in ("upload", "compute", "download") if f": {command} on " in text}
    traced = {"upload", "compute", "download"} if level == "LOG_TRACE" and device != "CPU" else set()
    assert commands == traced


def test_the_stages_of_a_line_are_the_stages_of_the_profile(capsys):
    compiled = ran("CPU", "DEBUG", 0)
    request = compiled.create_infer_request()
    capsys.readouterr()
    request.infer([np.zeros((1, 8, 8, 1), np.float32)])
    (found,) = lines(capsys.readouterr().err)
    told = dict(part.split() for part in found["text"].partition(": ")[2].split(", "))
    assert told == {str(stage): f"{ns / 1e3:.1f}" for stage, ns in request.profile.stages.items()}


def test_a_failed_run_says_so_and_whom_it_fell_back_to(capsys):
    context, model = Context(), Model()
    device = Device(faults=Faults(timeout=[1]))
    context.set_delegate(NPUDelegate(device=device, options={"LOG_LEVEL": "DEBUG"}))
    model.build_from_file(model_path(), context=context)
    request = model.compiled.create_infer_request()
    capsys.readouterr()
    with pytest.raises(DelegateExecuteError):
        request.infer([np.zeros((1, 8, 8, 1), np.float32)])
    said = [each["text"] for each in lines(capsys.readouterr().err)]
    assert [text for text in said if text.startswith("run failed after ")]

    context.on_delegate_error, model = "fallback", Model()
    device.inject(Faults(timeout=[1]))
    model.build_from_file(model_path(), context=context)
    with pytest.warns(DelegateWarning):
        model.predict([np.zeros((1, 8, 8, 1), np.float32)])
    said = [each["text"] for each in lines(capsys.readouterr().err)]
    assert [text for text in said if text.startswith("the CPU runs subgraph 'NpuGraph0', which failed")]


def test_a_node_that_falls_back_to_the_cpu_is_named(capsys):
    core = Core()
    core.set_property({"LOG_LEVEL": "INFO"})
    core.compile_model(model_path(), "HETERO:NPU,CPU")
    assert "fall back" not in capsys.readouterr().err
    core.compile_model(model_path(), "HETERO:NPU,CPU", partition=PartitionOptions(deny_types=["Softmax"]))
    assert "model 'digits': 1 of 11 nodes left to the CPU: 'head/softmax'" in capsys.readouterr().err


def test_the_log_has_the_outcome_of_the_cache(tmp_path: Path, capsys):
    for outcome in ("cache miss", "cache hit"):
        core = Core()
        core.set_property({"LOG_LEVEL": "INFO", "CACHE_DIR": str(tmp_path)})
        core.compile_model(model_path(), "NPU.4000")
        assert [each["text"] for each in lines(capsys.readouterr().err) if each["text"].startswith(outcome)]


def test_hand_overs_are_said(capsys):
    core = Core()
    core.register_device("breaks", lambda options: NPUDelegate(device=Device(faults=Faults(lost=[2]))))
    core.set_property({"LOG_LEVEL": "INFO"})
    compiled = core.compile_model(model_path(), "AUTO:breaks,CPU")
    assert hasattr(compiled, "auto")
    compiled.wait_ready()
    request = compiled.create_infer_request()
    assert "breaks info: model 'digits': AUTO: runs go to device 'breaks' from now on" in capsys.readouterr().err
    request.infer(x := [np.zeros((1, 8, 8, 1), np.float32)])
    with pytest.warns(DelegateWarning):
        request.infer(x)
    number = request.number
    expected = f"breaks info: model 'digits', request {number}: AUTO: runs go to the CPU from now on, not to device 'br"
    assert expected in capsys.readouterr().err


def test_off_means_that_nothing_is_made_of_a_line(monkeypatch):
    monkeypatch.setattr(logging.getLogger("lite_delegate"), "propagate", False)
    for level, wanted in (("LOG_NONE", "LOG_ERROR"), ("LOG_INFO", "LOG_DEBUG"), ("LOG_DEBUG", "LOG_TRACE")):
        DelegateLog("quiet", level).write(wanted, "%s %d", Untouchable(), Untouchable())
    with pytest.raises(AssertionError, match="nobody wants"):
        DelegateLog("quiet", "LOG_ERROR").write("LOG_ERROR", "%s", Untouchable())


def test_a_run_makes_no_line_while_the_log_is_off(monkeypatch):
    compiled = ran("NPU.4000", "NONE")
    monkeypatch.setattr(DelegateLog, "write", lambda self, level, *values: self.writes(level) and pytest.fail(level))
    compiled.create_infer_request().infer([np.zeros((1, 8, 8, 1), np.float32)])


def test_a_level_that_is_set_on_one_model_counts_for_that_model_alone(capsys):
    compiled = ran("CPU", "NONE", 0)
    compiled.set_property({"LOG_LEVEL": "DEBUG"})
    x = [np.zeros((1, 8, 8, 1), np.float32)]
    ran("CPU", "NONE")
    assert capsys.readouterr().err == ""
    request = compiled.create_infer_request()
    request.infer(x)
    assert "run done" in capsys.readouterr().err
    compiled.set_property({"LOG_LEVEL": "NONE"})
    request.infer(x)
    assert capsys.readouterr().err == ""


def test_pythons_logging_gets_the_same_with_its_parts_as_attributes(caplog, capsys):
    caplog.set_level(TRACE, "lite_delegate.NPU.4000")
    compiled = ran("NPU.4000", "NONE")
    assert capsys.readouterr().err == ""
    assert {record.name for record in caplog.records} == {"lite_delegate.NPU.4000"}
    assert {record.device for record in caplog.records} == {"NPU.4000"}
    assert {record.model for record in caplog.records} == {"digits"}
    ran_lines = [record for record in caplog.records if "run done" in record.message]
    assert [record.levelno for record in ran_lines] == [logging.DEBUG]
    assert isinstance(ran_lines[0].request, int)
    compiled.close()


def test_without_a_listener_python_prints_nothing_by_itself(monkeypatch, capsys):
    monkeypatch.setattr(logging.getLogger("lite_delegate"), "propagate", False)
    DelegateLog("quiet").write("LOG_ERROR", "a failure")
    assert capsys.readouterr().err == ""


def test_a_line_without_a_reader_is_no_error(monkeypatch):
    for stream in (None, open("/dev/null")):  # noqa: SIM115
        monkeypatch.setattr(sys, "stderr", stream)
        DelegateLog("npu", "LOG_ERROR").write("LOG_ERROR", "a failure")


def test_lines_about_a_compilation_belong_to_the_model_of_its_thread():
    def other() -> None:
        models.append(DelegateLog("npu").model)

    models: list[str | None] = []
    with of_model("mine"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        models.append(DelegateLog("npu").model)
    assert models == [None, "mine"]


def test_nothing_secret_is_traced(tmp_path: Path, capsys, caplog):
    caplog.set_level(TRACE, "lite_delegate")

    def xored(data: bytes) -> bytes:
        return bytes(byte ^ SECRET[i % len(SECRET)] for i, byte in enumerate(data))

    graph = chain(3)
    write_ms(graph, tmp_path / "m.ms")
    for _ in range(2):
        context, model = Context(), Model()
        context.set_delegate(NPUDelegate(options={"LOG_LEVEL": "TRACE"}))
        context.cache = CacheOptions(tmp_path / "cache", encryption=Encryption(xored, xored))
        model.build_from_file(tmp_path / "m.ms", context=context)
        request = model.compiled.create_infer_request()
        request.infer([np.full((2, 3), VALUE, np.float32)])
        result = float(request.results[0][0, 0])
    said = capsys.readouterr().err + caplog.text
    assert {word for word in ("cache miss", "cache hit", "upload") if word in said} == {
        "cache miss",
        "cache hit",
        "upload",
    }
    secrets = [
        SECRET.decode(),
        SECRET.hex(),
        f"{VALUE:.0f}",
        *(f"{v:{how}}" for v in (VALUE, result) for how in (".2f", "g")),
    ]
    assert [secret for secret in secrets if secret in said] == []


def test_the_code_of_the_page_prints_the_lines_of_the_page(tmp_path: Path, monkeypatch, capsys):
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", section("running.md", "Logs"), re.DOTALL)
    write_ms(chain(3), tmp_path / "model.ms")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "running.md", "exec"), {})
    said = capsys.readouterr().err.splitlines()
    assert [_without_numbers(line) for line in said] == [_without_numbers(line) for line in shown.splitlines()]


def _without_numbers(line: str) -> str:
    """A line as far as it is the same on every machine."""
    return re.sub(r"\d+(\.\d+)?", "N", line.partition(": preprocess")[0])


def test_the_lines_of_a_model_follow_the_log_level_of_any_delegate(capsys):
    spec = PropertySpec("LOG_LEVEL", "lines", Choice(LEVELS, "LOG_"), LEVELS[0], scope="d", when="R")
    values = Values(Registry("Chip", [spec])).with_layer(Layer.DEVICE, {"LOG_LEVEL": "DEBUG"})

    class Chip(NamedDelegate):
        name = "chip"

        def property_values(self) -> Values:
            return values

    context, model = Context(), Model()
    context.set_delegate(Chip())
    model.build_from_graph(chain(2), context)
    model.create_request().infer([np.zeros((2, 3), np.float32)])
    found = lines(capsys.readouterr().err)
    assert [(each["device"], each["level"]) for each in found] == [("chip", "info"), ("chip", "debug")]


class Telling(NamedDelegate):
    """Says what it is asked about, and has no property LOG_LEVEL."""

    name = "acme"

    def supports(self, kernel):
        DelegateLog(self.name).write("LOG_INFO", "asked about %s", kernel.name)
        return super().supports(kernel)


@pytest.mark.parametrize("device", ["acme", "HETERO:acme,CPU", "AUTO:acme,CPU"])
def test_a_delegate_without_a_level_of_its_own_has_the_level_of_the_core(device, capsys):
    core = Core()
    core.register_device("acme", lambda options: Telling(["n0", "n1"]))
    waits = {"ENABLE_STARTUP_FALLBACK": "NO"} if "AUTO" in device else {}
    core.compile_model(chain(2), device, waits)
    assert capsys.readouterr().err == ""
    core.set_property({"LOG_LEVEL": "INFO"})
    core.compile_model(chain(2), device, waits)
    assert "acme info: model 'main': asked about n0" in capsys.readouterr().err


@pytest.mark.parametrize("is_first", [True, False])
def test_the_level_of_a_context_is_that_of_its_delegates(is_first, capsys):
    for delegate, said in (
        (NPUDelegate(), "npu trace: model 'main': 'n0' (AddFusion) claimed"),
        (Telling(["n0", "n1"]), "acme info: model 'main': asked about n0"),
    ):
        context, model = Context(), Model()
        if is_first:
            context.set_property({"LOG_LEVEL": "TRACE"})
        context.set_delegate(delegate)
        if not is_first:
            context.set_property({"LOG_LEVEL": "TRACE"})
        model.build_from_graph(chain(2), context)
        assert said in capsys.readouterr().err
        DelegateLog(delegate.name).write("LOG_ERROR", "of no model")
        assert capsys.readouterr().err == ""


def test_the_level_of_a_delegate_goes_before_the_level_of_the_context(capsys):
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate(options={"LOG_LEVEL": "NONE"}))
    context.set_property({"LOG_LEVEL": "TRACE"})
    model.build_from_graph(chain(2), context)
    assert [each["text"].split()[0] for each in lines(capsys.readouterr().err)] == ["compiled"]


def test_an_absent_device_is_told_of_at_the_level_of_the_context(capsys):
    context, model = Context(), Model()
    context.set_property({"LOG_LEVEL": "WARNING"})
    context.set_delegate(NPUDelegate(device=Device(present=False)))
    with pytest.warns(DelegateWarning):
        model.build_from_graph(chain(2), context)
    assert "npu warning: model 'main': The simulated NPU is not there" in capsys.readouterr().err


def test_a_level_that_changes_at_run_time_is_that_of_the_delegates_own_lines(capsys):
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    context.set_property({"LOG_LEVEL": "TRACE"})
    model.build_from_graph(chain(2), context)
    request, x = model.compiled.create_infer_request(), [np.zeros((2, 3), np.float32)]
    for level, speaks in (("NONE", False), ("TRACE", True), ("NONE", False)):
        model.compiled.set_property({"LOG_LEVEL": level})
        capsys.readouterr()
        request.infer(x)
        assert ("upload on engine" in capsys.readouterr().err) is speaks
