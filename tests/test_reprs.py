"""The ``repr`` of every public object: one short line that says what the object is, and changes nothing."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import sys
import warnings
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite_delegate as ld
from lite_delegate.basics.words.one_line import LONGEST
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, benchmark
from lite_delegate.compare import compare
from lite_delegate.conformance import all_cases, run_conformance
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import diff, partition_report
from lite_delegate.testing import NamedDelegate
from tests.test_public_api import ROOMS

DIGITS = Path(ld.__file__).parent / "demo" / "digits.ms"
IMAGE = {"image": np.zeros((1, 8, 8, 1), np.float32)}
HOSTILE = "</b>\n\u202e'\"{}" + "a very long name" * 50


def public_classes() -> list[Any]:
    found: dict[Any, None] = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and not issubclass(thing, (BaseException, Enum)):
                found[thing] = None
    return list(found)


CLASSES = public_classes()
DATA = [each for each in CLASSES if dataclasses.is_dataclass(each)]


def check(thing: object) -> str:
    line = repr(thing)
    assert line.isprintable(), line
    assert len(line) <= LONGEST, line
    assert "at 0x" not in line
    return line


def half_made(cls: Any) -> Any:
    if inspect.isabstract(cls):
        cls = type(cls.__name__, (cls,), dict.fromkeys(cls.__abstractmethods__))
    return cls.__new__(cls)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__qualname__}")
def test_a_class_has_its_own_words_also_for_an_object_that_is_half_made(cls: Any) -> None:
    if getattr(cls, "_is_protocol", False) or cls.__repr__ in (str.__repr__, tuple.__repr__):
        pytest.skip("no object is of this class alone")
    assert cls.__repr__ is not object.__repr__
    check(half_made(cls))


@pytest.mark.parametrize("cls", DATA, ids=lambda cls: f"{cls.__module__}.{cls.__qualname__}")
@pytest.mark.parametrize(
    "value",
    [HOSTILE, (HOSTILE,) * 500, {HOSTILE: [object()] * 9}, np.ones((2000, 3)), object(), lambda: None],
    ids=["text", "texts", "mapping", "array", "object", "function"],
)
def test_fields_of_any_length_fit_on_a_line(cls: Any, value: object) -> None:
    made = half_made(cls)
    for field in dataclasses.fields(cls):
        object.__setattr__(made, field.name, value)
    check(made)


def objects() -> Iterator[object]:
    """Objects of every kind that users hold, open and closed, before and after runs."""
    core = ld.Core()
    core.register_device("MINE", NPUDelegate)
    compiled = core.compile_model(DIGITS, "NPU")
    request = compiled.create_infer_request()
    yield from (core, compiled, request, request.infer(IMAGE), ld.RequestQueue(compiled))
    yield from (request.profile, core.query_model(DIGITS, "NPU"), core.default_context("NPU"))
    job = core.compile_model_async(DIGITS, "AUTO")
    yield from (job.result(), job, core.compile_model(DIGITS, "MULTI:NPU,CPU"))
    closed = core.compile_model(DIGITS, "CPU")
    waiting = closed.create_infer_request()
    closed.close()
    yield from (closed, waiting)
    context = ld.Context()
    context.set_delegate(NPUDelegate())
    context.on_delegate_error = "fallback"
    model, gone = ld.Model(), ld.Model()
    yield ld.Model()
    model.build_from_file(str(DIGITS), context=context)
    gone.build_from_file(str(DIGITS))
    gone.close()
    yield from (context, model, gone, *model.get_inputs(), *model.get_outputs(), *model.get_graph_kernels())
    report = partition_report(model, what_if=True)
    options = BenchmarkOptions(warmup=0, limits=RunLimits(runs=2), profile=True)
    yield from (report, diff(report, report), benchmark(model, IMAGE, options), compare(model, IMAGE))
    yield run_conformance([*all_cases(["Softmax"])][:3], NPUDelegate())
    yield from (ld.Converter(), ld.ModelGroup(), ld.ModelParallelRunner(), ld.RunnerConfig(), ld.CacheOptions("c"))


def reached(things: Iterator[object]) -> list[object]:
    """The objects and, behind their public properties and fields, the objects of this package, each once."""
    found, waiting = dict[int, object](), [*things]
    while waiting:
        thing = waiting.pop()
        if id(thing) not in found:
            found[id(thing)] = thing
            waiting += behind(thing)
    return list(found.values())


def behind(thing: object) -> Iterator[object]:
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    properties = (name for name, of in inspect.getmembers_static(type(thing)) if isinstance(of, property))
    for name in (*(field.name for field in fields), *properties):
        if name.startswith("_"):
            continue
        with contextlib.suppress(Exception):
            value = getattr(thing, name)
            for each in value[:3] if isinstance(value, (tuple, list)) else [value]:
                if type(each).__module__.partition(".")[0].startswith("lite_delegate"):
                    yield each


@pytest.fixture(scope="module")
def everything() -> list[object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reached(objects())


def test_all_that_users_reach_has_a_line(everything: list[object]) -> None:
    public = set(CLASSES)
    lines = {type(each).__name__: check(each) for each in everything if public & set(type(each).__mro__)}
    assert len(lines) > 50


def test_a_line_loads_nothing_and_changes_nothing() -> None:
    delegate = NamedDelegate()
    context = ld.Context()
    context.set_delegate(delegate)
    model = ld.Model()
    model.build_from_file(str(DIGITS), context=context)
    things = [model, ld.Model(), ld.Core(), context, model.compiled, model.create_request(), partition_report(model)]
    inits, modules = delegate.inits, set(sys.modules)
    before = [check(each) for each in things]
    assert [check(each) for each in things] == before
    assert (delegate.inits, set(sys.modules)) == (inits, modules)


@pytest.mark.parametrize(
    ("thing", "line"),
    [
        (
            "core.compile_model(DIGITS, 'NPU')",
            "<CompiledModel 'digits': 11 kernels, 1 subgraph on NPU, [1,8,8,1] -> [1,10]>",
        ),
        ("core.compile_model(DIGITS, 'CPU')", "<CompiledModel 'digits': 11 kernels on CPU, [1,8,8,1] -> [1,10]>"),
        ("core.compile_model(DIGITS, 'CPU').inputs[0]", "<Port of input 0: 'image' FLOAT32 [1,8,8,1], NHWC>"),
        (
            "core.compile_model(DIGITS, 'CPU').outputs[0]",
            "<Port of output 0: 'probabilities' FLOAT32 [1,10]>",
        ),
        ("core.read_model(DIGITS)", "<Graph 'digits': 11 nodes, [1,8,8,1] -> [1,10]>"),
        ("ld.Model()", "<Model not built>"),
        ("ld.Context()", "<Context for 'cpu'>"),
        ("NPUDelegate()", "<NPUDelegate 'npu'>"),
    ],
)
def test_lines(thing: str, line: str) -> None:
    assert repr(eval(thing, {**globals(), "core": ld.Core()})) == line
