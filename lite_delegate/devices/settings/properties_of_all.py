"""Properties that are set on several compiled models at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import PropertyError
from ...inference.model.compiled_model import CompiledModel
from ...properties import mapping_of


def set_on_all(models: Sequence[CompiledModel], properties: Mapping[str, object]) -> None:
    """Sets properties on every model that has them, all properties or none.

    Args:
        models: the compiled models, at least one.
        properties: values by name.

    Raises:
        PropertyError: no model has a property, or a model does not take a value; all models stay as they were.
    """
    properties = mapping_of(properties)
    known = [{name for name in properties if _has(model, name)} for model in models]
    nobody = next((name for name in properties if not any(name in names for names in known)), None)
    if nobody is not None:
        models[0].get_property(nobody)  # raises the error, with similar names
    done: list[tuple[CompiledModel, dict[str, object]]] = []
    try:
        for model, names in zip(models, known, strict=True):
            mine = {name: value for name, value in properties.items() if name in names}
            before = {name: model.get_property(name) for name in mine}
            model.set_property(mine)
            done.append((model, before))
    except BaseException:
        for model, before in reversed(done):
            model.set_property(before)
        raise


def _has(model: CompiledModel, name: str) -> bool:
    try:
        model.get_property(name)
    except PropertyError:
        return False
    return True
