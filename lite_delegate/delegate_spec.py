"""From the SPECs of delegates, as people type them, to the delegates."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from .delegate import Delegate
from .errors import InputError

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_NAMED = re.compile(r"([A-Za-z_][\w-]*)=(.+)")
"""``NAME=SPEC``."""


def parse_options(texts: Iterable[str]) -> dict[str, str]:
    """Options of a delegate, as people type them: ``KEY=VALUE`` each.

    Raises:
        InputError: one that is not, or a key given twice.
    """
    options: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise InputError(f"--delegate-option must be KEY=VALUE, got '{text}'.")
        if key.upper() in map(str.upper, options):
            raise InputError(f"--delegate-option {key} is given twice.")
        options[key] = value
    return options


def resolve_delegate(spec: str, options: Mapping[str, str] = NO_OPTIONS) -> Delegate | None:
    """The delegate that a SPEC names: ``none``, ``npu``, ``npu:PROFILE`` or ``package.module:ClassName``.

    PROFILE is the name of a packaged profile or the path of a .toml file. Modules are looked for in the working
    directory, too; a class whose constructor has a parameter ``options`` gets them there. None for ``none``.

    Args:
        spec: names the delegate.
        options: of the delegate.

    Raises:
        InputError: the SPEC names nothing that exists, or something that is no delegate, or one that has no such
            options.
    """
    if spec == "none":
        if options:
            raise InputError(f"--delegate none has no options, got {', '.join(options)}.")
        return None
    kind, _, rest = spec.partition(":")
    if kind == "npu" and spec != "npu:":
        from .npu import NPUDelegate

        return NPUDelegate(rest, options=options) if rest else NPUDelegate(options=options)
    if not kind or not rest:
        raise InputError(f"--delegate must be none, npu, npu:PROFILE or package.module:ClassName, got '{spec}'.")
    return _import_delegate(kind, rest, options)


def resolve_delegates(specs: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> list[Delegate]:
    """The delegates that SPECs name, in their order. ``NAME=SPEC`` gives a delegate another name than its own.

    Args:
        specs: name the delegates; ``none`` stands alone.
        options: of the delegate; where there are several, the keys are ``N.KEY``: KEY for the N-th, counted from 1.

    Raises:
        InputError: like ``resolve_delegate``; or two delegates have the same name, or an option is for none of them.
    """
    if len(specs) > 1 and "none" in specs:
        raise InputError("--delegate none stands alone, it cannot be given with others.")
    apart = [options] if len(specs) == 1 else _options_apart(options, len(specs))
    found: list[Delegate] = []
    for text, each in zip(specs, apart, strict=True):
        named = _NAMED.fullmatch(text)
        name, spec = (None, text) if named is None else named.groups()
        delegate = resolve_delegate(spec, each)
        if delegate is None:
            continue
        if name is not None:
            delegate.name = name
        twin = next((i for i, other in enumerate(found) if other.name == delegate.name), None)
        if twin is not None:
            raise InputError(
                f"--delegate {specs[twin]} and {text} are both called '{delegate.name}'; "
                f"write --delegate NAME={spec} to call one otherwise."
            )
        found.append(delegate)
    return found


def _options_apart(options: Mapping[str, str], count: int) -> list[dict[str, str]]:
    apart: list[dict[str, str]] = [{} for _ in range(count)]
    for key, value in options.items():
        number, _, rest = key.partition(".")
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= count and rest):
            raise InputError(
                f"--delegate-option {key}: with {count} delegates write N.KEY=VALUE, N from 1 to {count} for which."
            )
        apart[int(number) - 1][rest] = value
    return apart


def _import_delegate(module_name: str, class_name: str, options: Mapping[str, str]) -> Delegate:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        cls = getattr(importlib.import_module(module_name), class_name)
    except Exception as e:  # importing runs the user's code, which may raise anything
        raise InputError(f"--delegate {module_name}:{class_name}: cannot import it: {type(e).__name__}: {e}.") from e
    if not (isinstance(cls, type) and issubclass(cls, Delegate)):
        raise InputError(f"--delegate {module_name}:{class_name} must be a class derived from lite_delegate.Delegate.")
    arguments = {"options": dict(options)} if options else {}
    if options and not _takes_options(cls):
        raise InputError(
            f"--delegate {module_name}:{class_name} has no options, got {', '.join(options)}. "
            "A delegate that has some takes them in a parameter 'options' of its constructor."
        )
    try:
        return cls(**arguments)
    except Exception as e:
        raise InputError(f"--delegate {module_name}:{class_name}: cannot make one: {type(e).__name__}: {e}.") from e


def _takes_options(cls: type[Delegate]) -> bool:
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):  # a constructor that cannot be looked at
        return False
    return any(p.name == "options" for p in parameters)
