"""Every node that stays on the CPU has one code and a text; a node on a delegate has neither."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import groupby

import pytest

from benchmarks.networks import detector, mobilenet_v2
from lite_delegate import (
    Context,
    Delegate,
    DelegateModel,
    DelegateWarning,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.conformance.suite import all_cases
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime import control_graphs as control
from tests.runtime.graphs import chain
from tests.runtime.planning.claims.test_several_delegates import Absent, named

PROFILES = ("generic", "kirin", "myriad_x", "npu3720", "npu4000")


def built(graph: Graph, *delegates: Delegate, **options: object) -> Model:
    context = Context()
    context.set_delegates(delegates)
    context.partition = PartitionOptions(**options)  # type: ignore[arg-type]
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(graph, context)
    return model


def assert_reasons(model: Model) -> None:
    record = model.get_partition()
    subgraphs = {s.name: s.delegate for s in record.subgraphs}
    for node in record.nodes:
        if node.subgraph is None:
            assert (node.device, type(node.code)) == ("CPU", RejectCode), node
            assert node.reason.strip(), node
        else:
            assert (node.device, node.code, node.reason) == (subgraphs[node.subgraph], None, ""), node


def test_one_node_of_each_operator_on_each_npu() -> None:
    delegates = [NPUDelegate(profile) for profile in PROFILES]
    for _, cases in groupby(all_cases(), lambda case: case.op_type):
        graph = case_graph(next(iter(cases)))
        for delegate in delegates:
            assert_reasons(built(graph, delegate))


@pytest.mark.parametrize("profile", PROFILES)
def test_networks(profile: str) -> None:
    for graph in (detector(size=64, classes=3), mobilenet_v2(size=32, classes=10, fused=False)):
        assert_reasons(built(graph, NPUDelegate(profile), named("other", None, Fifth)))


class Fifth(NamedDelegate):
    """Claims every fifth kernel and fails to compile every third run."""

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        self.inits += 1
        return Supported() if self.inits % 5 == 0 else Rejected(RejectCode.OPERATOR, "it is not the fifth")

    def create_graph_kernel(self, run: Iterable[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(list(run), model)
        if len(self.made) % 3 == 0:
            raise ValueError("every third")
        return kernel


class Answers(NamedDelegate):
    """Gives every kind of answer, right and wrong ones."""

    def supports(self, kernel: Kernel) -> object:  # type: ignore[override]
        if kernel.name == "n0":
            raise KeyError("n0")
        return {
            "n1": True,
            "n2": Rejected("OPERATOR", "no code"),  # type: ignore[arg-type]
            "n3": Rejected(RejectCode.RANK, "too deep"),
        }.get(kernel.name, Supported())


def test_wrong_answers_are_said_and_have_a_code() -> None:
    model = built(chain(5), Answers(None))
    nodes = model.get_partition().nodes
    assert [n.code for n in nodes] == [RejectCode.COMPILE_FAILED] * 3 + [RejectCode.RANK, None]
    assert [n.reason for n in nodes[:3]] == [
        "delegate 'named' raised KeyError when asked: 'n0'",
        "delegate 'named' must answer Supported(), Rejected(RejectCode, reason) or None, answered True",
        "delegate 'named' must answer Supported(), Rejected(RejectCode, reason) or None, answered code 'OPERATOR'",
    ]
    assert_reasons(model)


class Silent(NamedDelegate):
    """States no claims and takes nothing."""

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        return None

    def build(self, model: DelegateModel) -> None:
        return None


class Forgetful(NamedDelegate):
    """Claims all and takes nothing."""

    def build(self, model: DelegateModel) -> None:
        return None


class Broken(NamedDelegate):
    """Claims all and can compile nothing."""

    def create_graph_kernel(self, run: Iterable[Kernel], model: DelegateModel) -> Kernel:
        raise ValueError  # without a text


@pytest.mark.parametrize(
    ("delegates", "options", "codes"),
    [
        ((), {}, {RejectCode.NO_DEVICE}),
        ((Absent(None),), {}, {RejectCode.NO_DEVICE}),
        ((Silent(None),), {}, {RejectCode.POLICY}),
        ((Forgetful(None),), {}, {RejectCode.POLICY}),
        ((Broken(None),), {}, {RejectCode.COMPILE_FAILED}),
        ((NamedDelegate(None),), {"deny_types": frozenset({"AddFusion"})}, {RejectCode.POLICY}),
        ((Silent(None),), {"deny_types": frozenset({"AddFusion"})}, {RejectCode.POLICY}),
        ((NamedDelegate(None),), {"affinity": {"n0": "CPU", "n1": "CPU", "n2": "CPU"}}, {RejectCode.POLICY}),
        ((NamedDelegate(None),), {"min_kernels": 4}, {RejectCode.TOO_SMALL}),
        ((NamedDelegate(None),), {"max_subgraphs": 0}, {RejectCode.LIMIT}),
        ((NamedDelegate([]),), {}, {RejectCode.OPERATOR}),
    ],
    ids=["none", "absent", "silent", "forgetful", "broken", "type", "quiet", "pinned", "small", "limit", "rejected"],
)
def test_the_code_says_who_decided(
    delegates: tuple[Delegate, ...], options: dict[str, object], codes: set[RejectCode]
) -> None:
    model = built(chain(3), *delegates, **options)
    assert {n.code for n in model.get_partition().nodes} == codes
    assert_reasons(model)


def test_what_only_the_runtime_runs_has_a_code_too() -> None:
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    for delegates in ((), (named("a", None),), (named("a", ["plus"]), named("b", None))):
        assert_reasons(built(graph, *delegates))


def test_denied_names_are_kept_from_delegates_that_state_no_claims() -> None:
    class Walker(Silent):
        def build(self, model: DelegateModel) -> None:
            for kernel in list(model):
                if model.primitive(kernel) is not None:
                    model.replace(*model.span([kernel]), self.create_graph_kernel([kernel], model))

    model = built(chain(3), Walker(None), deny_names=frozenset({"n1"}))
    assert [n.subgraph for n in model.get_partition().nodes] == ["Group0", None, "Group1"]
    assert_reasons(model)
