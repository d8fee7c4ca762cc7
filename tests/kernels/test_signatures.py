"""Every kernel takes exactly its operator's attributes, under the schema's names and with the schema's defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, ReferenceKernel
from lite_delegate_kernels.custom.all_kernels import ALL_CUSTOM_KERNELS

from lite_delegate.ir import make_primitive

POSITIONAL = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _keyword_defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The keyword-only parameters with their defaults, floats as single precision, which is what files hold."""
    keywords = [p for p in _parameters(function) if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return {p.name: float(np.float32(p.default)) if isinstance(p.default, float) else p.default for p in keywords}


@pytest.mark.parametrize("kernel", ALL_KERNELS, ids=lambda k: k.op_type)
def test_keywords_are_the_attributes_with_their_defaults(kernel: ReferenceKernel) -> None:
    expected = make_primitive(kernel.op_type).attributes()
    found = _keyword_defaults(kernel.run)
    assert ("output_count" in found) == kernel.needs_output_count
    assert ("quantization" in found) == kernel.needs_quantization
    found.pop("output_count", None)
    found.pop("quantization", None)
    assert found == expected
    assert {n: type(d) for n, d in found.items()} == {n: type(d) for n, d in expected.items()}


@pytest.mark.parametrize("kernel", [*ALL_KERNELS, *ALL_CUSTOM_KERNELS], ids=lambda k: k.op_type)
def test_inference_reads_attributes_and_states_no_defaults(kernel: ReferenceKernel) -> None:
    read = _keyword_defaults(kernel.output_specs)
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in _parameters(kernel.output_specs))
    assert takes_all or set(read) <= set(_keyword_defaults(kernel.run))
    assert set(read.values()) <= {inspect.Parameter.empty}


def test_inference_takes_the_defaults_of_the_kernel() -> None:
    def run(x: Array, *, axis: int = 1, scale: float = 2.0) -> Array:
        return np.asarray(x.sum(axis) * scale)

    def specs(x: ArraySpec, *, axis: int) -> ArraySpec:
        assert x.shape is not None
        return ArraySpec(x.dtype, (*x.shape[:axis], *x.shape[axis + 1 :]))

    kernel, x = ReferenceKernel("Sum", run, specs, ("float32",)), ArraySpec(np.dtype(np.float32), (2, 3))
    assert kernel.infer(x).shape == (2,)
    assert kernel.infer(x, axis=0, scale=1.0).shape == (3,)
    with pytest.raises(TypeError, match="Sum has no attribute axes"):
        kernel.infer(x, axes=0)


@pytest.mark.parametrize("kernel", ALL_KERNELS, ids=lambda k: k.op_type)
def test_run_and_infer_take_the_same_inputs(kernel: ReferenceKernel) -> None:
    run, infer = _parameters(kernel.run), _parameters(kernel.output_specs)
    assert {p.kind for p in run + infer} <= {*POSITIONAL, inspect.Parameter.KEYWORD_ONLY}
    inputs = [[(p.name, p.kind, p.default) for p in parts if p.kind in POSITIONAL] for parts in (run, infer)]
    assert inputs[0] == inputs[1]


@pytest.mark.parametrize("kernel", ALL_KERNELS, ids=lambda k: k.op_type)
def test_an_optional_input_defaults_to_none(kernel: ReferenceKernel) -> None:
    inputs = [p for p in _parameters(kernel.run) if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert {p.default for p in inputs} <= {None, inspect.Parameter.empty}
