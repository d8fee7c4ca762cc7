"""Kernels are found by operator type, and only the files of those that are asked for are imported."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from lite_delegate_fast import ALL_FAST_KERNELS, ALL_FAST_QUANTIZED_KERNELS
from lite_delegate_fast.all_kernels import fast_kernel
from lite_delegate_fast.all_quantized_kernels import OWN, fast_quantized_kernel
from lite_delegate_kernels import ALL_CUSTOM_KERNELS, ALL_KERNELS, ALL_QUANTIZED_KERNELS
from lite_delegate_kernels.built_in import BuiltInKernels

QUANTIZED = {kernel.op_type for kernel in ALL_QUANTIZED_KERNELS}
CODE = """
import sys
import numpy as np
from lite_delegate import Model
from lite_delegate.demo import model_path
model = Model()
model.build_from_file(model_path())
model.predict([np.zeros(t.shape, np.float32) for t in model.get_inputs()])
print(*{node.type for node in model.get_partition().nodes})
print(*{name.partition(".op_")[2] for name in sys.modules if ".op_" in name})
"""


def test_each_kernel_is_found_by_its_type() -> None:
    found = BuiltInKernels()
    for kernel in (*ALL_KERNELS, *ALL_CUSTOM_KERNELS):
        assert found.find(kernel.op_type) is kernel
    assert found.op_types() == tuple(sorted(k.op_type for k in (*ALL_KERNELS, *ALL_CUSTOM_KERNELS)))


def test_quantized_forms_are_those_of_the_table() -> None:
    found = BuiltInKernels()
    for kernel in ALL_KERNELS:
        form = found.find_quantized_form(kernel.op_type)
        assert (form is not None) == (kernel.op_type in QUANTIZED)
        assert found.find(kernel.op_type, quantized=True) is (kernel if kernel.needs_quantization else form)
    fast = {kernel.op_type for kernel in ALL_FAST_KERNELS if kernel.op_type in QUANTIZED}
    assert {kernel.op_type for kernel in ALL_FAST_QUANTIZED_KERNELS} == {*fast, *OWN}


@pytest.mark.parametrize(
    "op_type", ["", "Nothing", "softmax", "Soft_max", "ai.onnx.Softmax", "ai.onnx.", "acme.Acos", "Acos"]
)
def test_what_has_no_kernel(op_type: str) -> None:
    assert BuiltInKernels().find(op_type, quantized=True) is None
    assert (fast_kernel(op_type), fast_quantized_kernel(op_type)) == (None, None)


def test_threads_find_the_same() -> None:
    found = BuiltInKernels()
    with ThreadPoolExecutor(8) as threads:
        forms = list(threads.map(lambda _: found.find("AddFusion", quantized=True), range(64)))
    assert len({id(form) for form in forms}) == 1


def test_a_model_imports_the_files_of_its_own_operators() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    types, files = ({word.lower().replace("_", "") for word in line.split()} for line in done.stdout.splitlines()[:2])
    assert types <= files
    assert len(files) < len(types) + 12  # those that rewrites of importing ask for, and that others share code with
    assert not files & {"lstm", "detectionpostprocess", "conv3d", "gridsample", "resize"}
