"""The execution provider that runs each node of a session, read back from ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....errors import DelegateBuildError, DelegateUnavailable, KernelsNotTaken
from .layers import WrittenLayer, layer_of
from .properties import CPU_PROVIDER
from .session import SessionSettings, check_used, made_session, options_of, records_assignment

MOST_NAMED = 3
"""Nodes that a message names."""


def check_is_used(settings: SessionSettings) -> None:
    """Checks with a session of one node that ONNX Runtime loads the provider; costs nothing for its CPU provider.

    Raises:
        DelegateUnavailable: a session is made without it, or not at all; the message has ONNX Runtime's reason.
    """
    if settings.provider == CPU_PROVIDER:
        return
    model = _one_node()
    try:
        session = made_session(model, options_of(model, settings, allows_cpu=True), settings)
        check_used(session, settings)
    except DelegateBuildError as e:
        raise DelegateUnavailable(f"ONNX Runtime cannot use '{settings.provider}' here: {e}") from e


def places_of(session: Any, settings: SessionSettings, written: Mapping[str, WrittenLayer]) -> dict[str, str]:
    """The execution providers that run the kernels of a session, by the kernels' names; "" for unnamed kernels.

    Args:
        session: ONNX Runtime's session.
        settings: the settings that it was made with.
        written: the layers that its nodes were written for, by the name of their first result.

    Raises:
        DelegateBuildError: the session does not have the provider.
        KernelsNotTaken: ONNX Runtime's CPU provider runs nodes of kernels.
    """
    if settings.provider == CPU_PROVIDER:
        return {"": CPU_PROVIDER}
    check_used(session, settings)
    if not records_assignment():  # the session was made with ONNX Runtime's promise that its CPU runs nothing of it
        return {"": settings.provider}
    places: dict[str, str] = {}
    left: dict[str, list[str]] = {}
    for part in session.get_provider_graph_assignment_info():
        for node in part.get_nodes():
            name = layer_of(node.name, written)
            if not name and node.op_type == "Identity":  # it hands an input on as an output
                continue
            if part.ep_name == CPU_PROVIDER:
                left.setdefault(name or node.name, []).append(node.op_type)
            if name:
                places[name] = part.ep_name
    of_kernels = {name: operators for name, operators in left.items() if name in places}
    if of_kernels or (left and not places):
        raise _not_taken(settings.provider, of_kernels or left)
    return {"": settings.provider, **places}


def _not_taken(provider: str, left: Mapping[str, list[str]]) -> KernelsNotTaken:
    reasons = {
        name: f"{provider} does not take it: ONNX Runtime would run {_said(operators)} on its {CPU_PROVIDER}"
        for name, operators in left.items()
    }
    named = ", ".join(f"'{name}' ({_said(operators)})" for name, operators in list(left.items())[:MOST_NAMED])
    more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
    return KernelsNotTaken(f"{provider} does not take {named}{more}: they would run on the {CPU_PROVIDER}", reasons)


def _said(operators: list[str]) -> str:
    return ", ".join(dict.fromkeys(operators))


def _one_node() -> bytes:
    import numpy as np

    from ....formats.onnx.export import ModelWriter
    from ...lowering import OPSET

    real = np.dtype(np.float32)
    writer = ModelWriter("provider", OPSET)
    writer.input("x", real, [1, 8])
    writer.node("Relu", ["x"], ["y"], {})
    writer.output("y", real, [1, 8])
    return writer.content()
