"""Limits of devices: nodes beyond a device's limits are rewritten, before the claims, as equal forms within them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lite_delegate_kernels import ArraySpec

from ....basics.unforeseen import FAILURES
from ....delegate import Delegate, DelegateLimits, RejectCode, Rejected
from ....ir import Graph, Node, Source, Value
from ....passes import DeadCodePass, with_removed
from ...binding.bind import unbound_kernel
from ...binding.specs import Specs
from ...lifetimes.session import Session
from ...records.records import NamedNode, RewriteRecord, SourceRecord
from ...settings import Settings
from ..shapes.inferring import InferredModel
from .claims import ask

if TYPE_CHECKING:
    from ....passes.limits import Rewrite
    from ....passes.limits.movement import Shape


def inferred_for(
    graph: Graph,
    input_shapes: Mapping[Value, Shape],
    settings: Settings,
    session: Session,
    warnings: list[str],
) -> tuple[InferredModel, tuple[RewriteRecord, ...]]:
    """The graph of a plan in the form that delegates are asked about, and its rewrites.

    Arguments, and what is raised, as for ``InferredModel`` and ``follow_limits``.
    """
    inferred = InferredModel(graph, input_shapes, settings)
    return follow_limits(inferred, session, warnings) if settings.rewrites else (inferred, ())


def follow_limits(
    inferred: InferredModel, session: Session, warnings: list[str]
) -> tuple[InferredModel, tuple[RewriteRecord, ...]]:
    """The model in the forms that delegates take, and the rewrites.

    Each delegate that is there and states its limits is asked, in order of preference; a form that a delegate takes is
    offered to the delegates before it as well.

    Args:
        inferred: the model as it was prepared.
        session: the session of the delegates.
        warnings: gets the warnings for the user: a delegate that cannot state its limits.
    """
    records: list[RewriteRecord] = []
    for delegate in session.delegates:
        limits = DelegateLimits() if delegate.name in session.absent else _limits_of(delegate, warnings)
        if not limits.are_known:
            continue
        from ....passes.limits import FollowLimitsPass  # only for delegates that state limits

        known: Specs = {value: spec for specs in inferred.specs.values() for value, spec in specs.items()}
        follow = FollowLimitsPass(limits, _Asking(delegate, known), _shapes(known))
        result = follow.call(inferred.graph)
        if result.modified:
            records += [_record(delegate.name, rewrite) for rewrite in follow.rewrites]
            inferred = inferred.of(with_removed(inferred.graph, DeadCodePass().call(result.graph).graph))
    return inferred, tuple(records)


def _limits_of(delegate: Delegate, warnings: list[str]) -> DelegateLimits:
    try:
        limits = delegate.limits()
    except FAILURES as e:  # a delegate's own code may raise anything
        warnings.append(f"Delegate '{delegate.name}': asking for its limits failed, nothing is rewritten for it: {e}")
        return DelegateLimits()
    if isinstance(limits, DelegateLimits):
        return limits
    warnings.append(
        f"Delegate '{delegate.name}': limits() must return DelegateLimits, returned {type(limits).__name__}; nothing "
        f"is rewritten for it."
    )
    return DelegateLimits()


class _Asking:
    """A delegate's answers for nodes that are bound to nothing; each is asked for once."""

    def __init__(self, delegate: Delegate, specs: Specs) -> None:
        self._delegate = delegate
        self._specs = specs
        self._known: dict[Node, Rejected | None] = {}

    def __call__(self, node: Node) -> Rejected | None:
        if node not in self._known:
            self._known[node] = self._answer(node)
        return self._known[node]

    def _answer(self, node: Node) -> Rejected | None:
        kernel = unbound_kernel(node, self._specs)
        if kernel is None:
            return Rejected(RejectCode.OPERATOR, "the runtime itself runs it")
        answer = ask(self._delegate, [kernel], [])[kernel]
        return answer if isinstance(answer, Rejected) else None


def _shapes(specs: Specs) -> Mapping[Value, Shape | None]:
    return {value: spec.shape if spec.known else None for value, spec in specs.items() if isinstance(spec, ArraySpec)}


def _record(delegate: str, rewrite: Rewrite) -> RewriteRecord:
    return RewriteRecord(
        delegate=delegate,
        rule=rewrite.rule,
        before=_named(rewrite.before),
        after=_named(rewrite.after),
        code=rewrite.code,
        reason=rewrite.reason,
        sources=tuple(_source(each) for each in rewrite.sources if each.place),
    )


def _named(nodes: Sequence[tuple[str, str]]) -> tuple[NamedNode, ...]:
    return tuple(NamedNode(name, op_type) for name, op_type in nodes)


def _source(source: Source) -> SourceRecord:
    return SourceRecord(source.name, source.op_type, source.path, source.place)
