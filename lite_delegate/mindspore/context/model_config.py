"""The section ``[lite_delegate]`` of ``config_path`` and ``config_dict``, which configures this runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy

from ...basics.similar import did_you_mean
from ...errors import InputError
from .context import Context
from .parallel_info import ConfigInfo, checked_sections
from .setting import check_type

SECTION = "lite_delegate"
"""The section for this runtime; other sections are for MindSpore Lite, and have no effect here."""
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

_OF_BOTH = ("LOG_LEVEL", "NUM_STREAMS")
"""Properties that both the context and the NPU have."""


def _yes_or_no(text: str) -> bool:
    if text.lower() not in _WORDS:
        raise ValueError("expected yes or no")
    return _WORDS[text.lower()]


def _shapes(text: str) -> object:
    from ...inference.shapes.given_shapes import shapes_of_text

    return shapes_of_text(text)


_TEXTS: Mapping[str, Callable[[str], object]] = {
    "copy_weights": _yes_or_no,
    "input_shapes": _shapes,
    "memory_limit": int,
    "on_delegate_error": str,
    "optimize": str,
    "rewrite": _yes_or_no,
    "step_limit": int,
    "strict": _yes_or_no,
    "target": lambda text: [name.strip() for name in text.split(",")],
}
"""The attributes of a context that a configuration can set, each with the reader of its text."""


def configured(context: Context, config_path: str, config_dict: ConfigInfo | None, said: list[str]) -> Context:
    """A copy of the context with the settings of the section ``[lite_delegate]``; without a section, the context.

    Keys are attributes of ``Context`` (``strict``, ``target``, ...) and, in capitals, properties of the context
    (``CACHE_DIR``, ``INFERENCE_NUM_THREADS``, ...) and of the NPU (``NPU_TURBO``, ...).

    Args:
        context: the context, which stays as it is.
        config_path: a file of sections, "" for no file.
        config_dict: sections, whose keys override the keys of the file.
        said: receives the warnings for the user.

    Raises:
        TypeError: an argument has the wrong type.
        InputError: the file cannot be read, or a key is unknown, or a value does not fit.
    """
    check_type("config_path", config_path, str)
    sections = _read(config_path) if config_path else {}
    for name, entries in checked_sections("config_dict", {} if config_dict is None else config_dict).items():
        sections[name] = {**sections.get(name, {}), **entries}
    own = sections.pop(SECTION, {})
    if sections:
        names = ", ".join(f"[{name}]" for name in sections)
        said.append(f"config_path and config_dict: {names} have no effect in this runtime, only [{SECTION}] has.")
    return _with(context, own) if own else context


def _read(path: str) -> dict[str, dict[str, str]]:
    from .config_file import read_sections

    return read_sections(path)


def _with(context: Context, entries: Mapping[str, str]) -> Context:
    found = copy(context)
    found.npu, found.cpu = copy(context.npu), copy(context.cpu)
    _set_attributes(found, {key: text for key, text in entries.items() if not key.isupper()})
    _set_properties(found, {key: text for key, text in entries.items() if key.isupper()})
    return found


def _set_attributes(found: Context, entries: Mapping[str, str]) -> None:
    for key, text in entries.items():
        if key not in _TEXTS:
            there = f"Keys: {', '.join(_TEXTS)}; properties of the context and of the NPU in capitals"
            raise InputError(f"[{SECTION}] has no key '{key}'{did_you_mean(key, _TEXTS) or '.'} {there}.")
        try:
            setattr(found, key, _TEXTS[key](text))
        except ValueError as e:
            raise InputError(f"[{SECTION}] {key}: got '{text}': {e}") from e


def _set_properties(found: Context, entries: Mapping[str, str]) -> None:
    """Sets the context's properties on the context, and all others on the NPU, which checks them at the build."""
    if not entries:
        return
    from ...inference.properties.context_properties import OWN

    found.set_property({key: text for key, text in entries.items() if key in OWN})
    found.npu.set_property({key: text for key, text in entries.items() if key not in OWN or key in _OF_BOTH})
