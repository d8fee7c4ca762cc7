"""Loops without a bound: a device has no means to end them."""

from __future__ import annotations

from ....delegate import Branches, ControlFlow, Rounds


def too_many(flow: ControlFlow, most: int) -> str:
    """Why a loop or a choice has too many rounds for a device, on which nothing ends them; "" where it has not.

    Args:
        flow: the loop or choice.
        most: rounds that it may have.
    """
    rounds = _rounds(flow)
    if rounds is None:
        return "a constant must bound its rounds: nothing ends it on a device"
    return "" if rounds <= most else f"its {rounds:,} rounds are more than Context.step_limit, {most:,}"


def _rounds(flow: ControlFlow) -> int | None:
    """The most rounds of a loop, including loops inside it; None where no constant bounds them."""
    if not isinstance(flow, Branches | Rounds):
        return 0
    within = 0
    for inner in (kernel.control_flow for body in flow.bodies for kernel in body.kernels):
        rounds = 0 if inner is None else _rounds(inner)
        if rounds is None:
            return None
        within += rounds
    if not isinstance(flow, Rounds):
        return within
    return None if flow.most is None else flow.most * (1 + within)
