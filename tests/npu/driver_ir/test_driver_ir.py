"""In-memory models between the delegate and the compiler in the driver: both sides check, and know older versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.delegate import Boundary, Kernel
from lite_delegate.errors import DelegateBuildError, LiteDelegateError, ModelFormatError
from lite_delegate.npu.compiler.parts import RunPart
from lite_delegate.npu.driver_ir.adapter import driver_ir
from lite_delegate.npu.driver_ir.layout import BY_REFERENCE, INSIDE, DriverIR, Version, agreed, parts_of, written
from lite_delegate.npu.driver_ir.options import plain_of
from lite_delegate.npu.driver_ir.vcl import CompiledIR, DriverCompiler
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import load_profile
from tests.fuzz.rehash import DRIVER_HEAD, rehashed_driver_ir
from tests.npu.graphs import const, node, variable

PROFILE = load_profile("npu4000")
TARGET = Target(PROFILE, tiles=2, frequency=2)
WEIGHT = np.random.default_rng(0).standard_normal((16, 3, 3, 8)).astype(np.float32)
BIAS = np.arange(16, dtype=np.float32)


def part() -> RunPart:
    """A convolution with a large constant and a small one, and an activation."""
    x, weight, bias = variable("x", (1, 6, 6, 8)), const("w", WEIGHT), const("b", BIAS)
    attributes: dict[str, Any] = {"kernel_size": (3, 3), "pad_mode": 1, "group": 1}
    conv = node("Conv2DFusion", [x, weight, bias], (1, 6, 6, 16), **attributes)
    act = node("Activation", [conv.outputs[0]], (1, 6, 6, 16), activation_type=2)
    kernels: Sequence[Kernel] = (conv, act)
    return RunPart(tuple(kernels), Boundary((x,), (act.outputs[0],), (weight, bias)))


def same(one: CompiledIR, other: CompiledIR) -> None:
    assert one.program == other.program
    assert (one.inputs, one.outputs) == (other.inputs, other.outputs)
    mine, theirs = one.module.pack_constants(), other.module.pack_constants()
    assert mine.keys() == theirs.keys()
    for index, array in mine.items():
        np.testing.assert_array_equal(array, theirs[index])


def test_both_versions_compile_to_the_same_program() -> None:
    compiler = DriverCompiler(PROFILE)
    inside = driver_ir(part(), TARGET, [INSIDE])
    by_reference = driver_ir(part(), TARGET, [INSIDE, BY_REFERENCE])
    assert (len(inside.weights), len(by_reference.weights)) == (0, 1)
    assert len(inside.content) == len(by_reference.content) + WEIGHT.nbytes
    same(compiler.compile(inside), compiler.compile(by_reference))


def test_large_constants_are_handed_over_as_they_lie() -> None:
    given_part = part()
    (weight,) = driver_ir(given_part, TARGET).weights
    assert np.shares_memory(np.frombuffer(weight, np.uint8), given_part.boundary.constants[0].data)


@pytest.mark.parametrize(
    ("theirs", "mine", "best"),
    [
        ([(1, 0)], [(1, 0), (1, 1)], (1, 0)),
        ([(1, 0), (1, 1), (1, 2)], [(1, 0), (1, 1)], (1, 1)),
        ([(2, 0), (1, 1)], [(1, 1), (2, 0)], (2, 0)),
        ([(2, 0)], [(1, 0), (1, 1)], None),
        ([], [(1, 0)], None),
    ],
)
def test_the_newest_version_that_both_know(theirs: list[Version], mine: list[Version], best: Version | None) -> None:
    assert agreed(theirs, mine) == best


def test_an_older_driver_gets_what_it_knows() -> None:
    older = DriverCompiler(PROFILE, versions=[INSIDE])
    same(
        older.compile(driver_ir(part(), TARGET, older.versions)),
        DriverCompiler(PROFILE).compile(driver_ir(part(), TARGET)),
    )


def test_a_driver_without_a_common_version_is_one_reason() -> None:
    expected = r"takes in-memory models of version 2\.0, this delegate writes 1\.0, 1\.1: update the older"
    with pytest.raises(DelegateBuildError, match=expected):
        driver_ir(part(), TARGET, [(2, 0)])


def test_a_driver_rejects_a_version_that_it_does_not_know() -> None:
    ir = driver_ir(part(), TARGET, [BY_REFERENCE])
    with pytest.raises(ModelFormatError, match=r"of version 1\.1: this compiler takes 1\.0"):
        DriverCompiler(PROFILE, versions=[INSIDE]).compile(ir)


def test_a_driver_rejects_a_model_for_another_device() -> None:
    with pytest.raises(ModelFormatError, match="for another device than this of profile 'kirin'"):
        DriverCompiler(load_profile("kirin")).compile(driver_ir(part(), TARGET))


def test_weights_that_are_missing_or_of_another_size_are_rejected() -> None:
    ir = driver_ir(part(), TARGET)
    for weights in ((), (ir.weights[0][:-4],), (*ir.weights, ir.weights[0])):
        with pytest.raises(ModelFormatError, match="weights"):
            DriverCompiler(PROFILE).compile(DriverIR(ir.content, weights))


def test_a_run_without_inputs_has_none_in_the_program_either() -> None:
    made = node("AddFusion", [const("a", BIAS), const("b", BIAS)], (16,))
    without = RunPart((made,), Boundary((), (made.outputs[0],), tuple(made.inputs)))
    assert DriverCompiler(PROFILE).compile(driver_ir(without, TARGET)).inputs == ()


def test_everything_that_is_compiled_is_in_the_key() -> None:
    keys = {driver_ir(part(), TARGET).key(), driver_ir(part(), Target(PROFILE, tiles=1)).key()}
    changed = part()
    changed.boundary.constants[0].data = WEIGHT + 1
    keys.add(driver_ir(changed, TARGET).key())
    assert len(keys) == 3
    assert driver_ir(part(), TARGET).key() in keys
    threads = Target(PROFILE, tiles=2, frequency=2, compile_threads=4)
    assert driver_ir(part(), threads).key() in keys


def changed_options(content: bytes, **changes: object) -> bytes:
    """The bytes with other options, and the digest of them, as another implementation could write them."""
    parts = parts_of(memoryview(content))
    return written(parts.version, {**parts.options, **changes}, bytes(parts.graph), [parts.constants])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": {}}, "expected the choices"),
        ({"target": 3}, "target must be the choices by name"),
        ({"weights": [-1]}, "weights must be sizes"),
        ({"weights": [1]}, "weights"),
        ({"inputs": -1}, "inputs must be a number"),
        ({"inputs": 9}, "it is to have 9 inputs, its graph has 1"),
        ({"more": 1}, "its options must be"),
        ({"profile": 3}, "for another device"),
    ],
)
def test_options_of_another_kind_are_rejected(changes: dict[str, object], message: str) -> None:
    ir = driver_ir(part(), TARGET)
    content = memoryview(changed_options(bytes(ir.content), **changes))
    with pytest.raises(ModelFormatError, match=message):
        DriverCompiler(PROFILE).compile(DriverIR(content, ir.weights))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tiles", "2"),
        ("tiles", True),
        ("tiles", 0),
        ("tiles", 10**9),
        ("dma_engines", -1),
        ("frequency", 0),
        ("optimization_level", 3),
        ("transfer_chunk", 0),
        ("compute_layout", "CHWN"),
        ("precision", "FLOAT64"),
        ("precision", "INT8"),
        ("hw_stages", 1),
        ("priority", None),
    ],
)
def test_a_choice_that_the_device_does_not_have_is_rejected(name: str, value: object) -> None:
    ir = driver_ir(part(), TARGET)
    content = memoryview(changed_options(bytes(ir.content), target={**plain_of(TARGET), name: value}))
    with pytest.raises(ModelFormatError, match=name):
        DriverCompiler(PROFILE).compile(DriverIR(content, ir.weights))


@pytest.mark.parametrize("options", [b"{", b"\xff", b"[" * 100_000, b"[]", b"3"], ids=len)
def test_options_that_are_none_are_rejected(options: bytes) -> None:
    """The digest is right: another implementation may have written them."""
    content = bytes(driver_ir(part(), TARGET, [INSIDE]).content)
    *start, size, graph, constants, digest = DRIVER_HEAD.unpack_from(content)
    head = DRIVER_HEAD.pack(*start, len(options), graph, constants, digest)
    content = rehashed_driver_ir(head + options + content[len(head) + size :])
    with pytest.raises(ModelFormatError, match="In-memory model: its options"):
        DriverCompiler(PROFILE).compile(DriverIR(memoryview(content)))


def test_a_kernel_that_the_device_does_not_take_is_named() -> None:
    spectrogram = node("AudioSpectrogram", [variable("x", (3,))], (3,))
    strange = RunPart((spectrogram,), Boundary(tuple(spectrogram.inputs), tuple(spectrogram.outputs), ()))
    with pytest.raises(DelegateBuildError, match=r"\(AudioSpectrogram\): the NPU has no AudioSpectrogram"):
        DriverCompiler(PROFILE).compile(driver_ir(strange, TARGET))


def test_a_graph_that_is_none_is_rejected() -> None:
    parts = parts_of(driver_ir(part(), TARGET, [INSIDE]).content)
    content = written(INSIDE, parts.options, bytes(range(64)), [parts.constants])
    with pytest.raises(ModelFormatError, match="In-memory model: its graph cannot be read: model of 64 bytes"):
        DriverCompiler(PROFILE).compile(DriverIR(memoryview(content)))


def test_query_answers_for_each_layer_without_compiling() -> None:
    whole = part()
    spectrogram = node("AudioSpectrogram", list(whole.kernels[1].outputs), (3,))
    boundary = Boundary(whole.boundary.inputs, tuple(spectrogram.outputs), whole.boundary.constants)
    answers = DriverCompiler(PROFILE).query(driver_ir(RunPart((*whole.kernels, spectrogram), boundary), TARGET))
    assert [each.type for each in answers] == ["Conv2DFusion", "Activation", "AudioSpectrogram"]
    taken, also_taken, rejected = (each.rejection for each in answers)
    assert (taken, also_taken) == (None, None)
    assert rejected is not None
    assert rejected.reason == "the NPU has no AudioSpectrogram"


def test_the_driver_tells_what_it_compiled() -> None:
    ir = driver_ir(part(), TARGET)
    log = DriverCompiler(PROFILE).compile(ir).log
    assert log.startswith(
        f"in-memory model 1.1: 2 kernels, {len(ir.content):,} bytes, {WEIGHT.nbytes:,} bytes of constants"
    )


CONTENT = bytes(driver_ir(part(), TARGET, [INSIDE]).content)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, len(CONTENT) - WEIGHT.nbytes - 1), st.integers(1, 255)), min_size=1, max_size=4),
    st.integers(0, len(CONTENT)),
    st.booleans(),
)
def test_damaged_bytes_are_one_error(flips: list[tuple[int, int]], end: int, cut: bool) -> None:
    """Everything but the numbers of the weights is known again."""
    damaged = bytearray(CONTENT)
    for place, change in dict(flips).items():
        damaged[place] ^= change
    content = memoryview(bytes(damaged[:end] if cut else damaged))
    if content == CONTENT:
        return
    with pytest.raises(ModelFormatError, match="In-memory model"):
        DriverCompiler(PROFILE).compile(DriverIR(content))


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_foreign_bytes_are_one_error(content: bytes) -> None:
    with pytest.raises(LiteDelegateError):
        DriverCompiler(PROFILE).compile(DriverIR(memoryview(content)))
