"""Figures of the device's memory by compiled model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...delegate.calls.log import ModelName


def by_model(held: Iterable[tuple[ModelName | None, str, int]]) -> dict[str, dict[str, int]]:
    """Bytes by the name of the model and by their use.

    Args:
        held: the owner (None: no model), the use and the bytes of each piece of memory.

    Returns:
        Models in the order in which they were compiled; the second model of a name is "name#2", "" stands for memory
        without an owner.
    """
    pieces = list(held)
    models = {model.number: model for model, _, _ in pieces if model is not None}
    names = _names_of([models[number] for number in sorted(models)])
    taken: dict[str, dict[str, int]] = {name: {} for name in names.values()}
    for model, what, nbytes in pieces:
        kinds = taken.setdefault("" if model is None else names[model.number], {})
        kinds[what] = kinds.get(what, 0) + nbytes
    return taken


def _names_of(models: Sequence[ModelName]) -> dict[int, str]:
    """The names of models, by their numbers."""
    names: dict[int, str] = {}
    for model in models:
        word, known, count = model or "model", set(names.values()), 1
        while (name := word if count == 1 else f"{word}#{count}") in known:
            count += 1
        names[model.number] = name
    return names
