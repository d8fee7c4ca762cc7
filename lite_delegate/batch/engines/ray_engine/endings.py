"""The end of an actor of Ray in words."""

from __future__ import annotations

import re

from ....basics.failures import said

_DETAIL = re.compile(r"Worker exit detail: (.+?\.)(?:\s|$)")


def ending_of_actor(error: BaseException) -> str:
    """The end of an actor in words that follow "the worker ended".

    Args:
        error: of ``ray.get`` for one of the actor's tasks.
    """
    from ray import exceptions

    if isinstance(error, exceptions.OutOfMemoryError):
        return "by Ray's memory monitor, because its node was short of memory"
    if isinstance(error, exceptions.ActorUnavailableError):
        return "or cannot be reached"
    if isinstance(error, exceptions.RayTaskError):
        return f"with {said(error.cause if isinstance(error.cause, BaseException) else error)}"
    text = str(error)
    if "node has died" in text or "node was terminated" in text or getattr(error, "preempted", False):
        return "with its node"
    if "unexpectedly exits" in text:
        return "unexpectedly, by a crash or a signal"
    found = _DETAIL.search(text)
    return f"unexpectedly ({found.group(1).rstrip('.')})" if found else f"unexpectedly ({_last_line(text)})"


def fails_alike(error: BaseException) -> bool:
    """Whether another actor would fail as this one did when it was made: a module or its environment is missing."""
    from ray import exceptions

    return isinstance(error, exceptions.RuntimeEnvSetupError) or bool(getattr(error, "actor_init_failed", False))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "Ray gives no reason"
