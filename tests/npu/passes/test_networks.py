"""Permutes that are left in well-known networks: none on the device, and at the boundary only what is unavoidable."""

import pytest

from benchmarks.networks import detector, mobilenet_v2, resnet50
from lite_delegate import Context, Model
from lite_delegate.ir.axes import identity
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler import compile as compiling
from lite_delegate.npu.passes import run_module_passes
from tests.npu.passes.modules import opcodes

NETWORKS = {"mobilenet_v2": mobilenet_v2, "resnet50": resnet50, "detector": detector}
NCHW = (0, 3, 1, 2)


def modules_of(graph, monkeypatch):
    """The modules of a network's runs, before and after the passes; nothing is executed."""
    made = []

    def noted(module, passes):
        made.append((module, run_module_passes(module, passes)))
        return made[-1][1]

    monkeypatch.setattr(compiling, "run_module_passes", noted)
    context = Context()
    context.set_delegate(NPUDelegate())
    Model().build_from_graph(graph, context)
    return made


@pytest.mark.parametrize(
    ("name", "before", "packings"),
    [
        ("mobilenet_v2", 106, [("input", NCHW)]),
        ("resnet50", 110, [("input", NCHW)]),
        ("detector", 34, [("input", NCHW), ("SliceFusion", (2, 0, 1)), ("Activation", (2, 0, 1))]),
    ],
)
@pytest.mark.parametrize("fused", [True, False])
def test_only_what_crosses_is_permuted(name, before, packings, fused, monkeypatch):
    ((given, made),) = modules_of(NETWORKS[name](fused=fused, size=64), monkeypatch)
    assert opcodes(given)["Permute"] == before
    assert "Permute" not in opcodes(made)
    permuted = [p for p in (*made.inputs, *made.outputs) if p.axes != identity(len(p.axes))]
    assert [(port.tensor.name.partition("_")[0], port.axes) for port in permuted] == packings


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_as_a_trainer_exports_it_becomes_the_one_with_fused_layers(name, monkeypatch):
    ((_, fused),) = modules_of(NETWORKS[name](size=64), monkeypatch)
    ((_, unfused),) = modules_of(NETWORKS[name](fused=False, size=64), monkeypatch)
    assert [(s.instruction, s.name.rpartition("_")[0]) for s in unfused.steps] == [
        (s.instruction, s.name.rpartition("_")[0]) for s in fused.steps
    ]
