"""From the SPECs of delegates, as people type them, to the delegates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from .delegate import Delegate
from .delegate_class import load_class, make_delegate
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
    """The delegate of a SPEC: ``none``, ``npu``, ``npu:PROFILE``, ``a.module:ClassName`` or ``file.py:ClassName``.

    PROFILE is the name of a packaged profile or the path of a .toml file. Modules are looked for in the working
    directory, too. Options are parameters of the class's constructor, see ``make_delegate``. None for ``none``.

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
    kind, _, rest = spec.rpartition(":") if ".py:" in spec else spec.partition(":")
    if kind == "npu" and spec != "npu:":
        from .npu import NPUDelegate

        return NPUDelegate(rest, options=options) if rest else NPUDelegate(options=options)
    if not kind or not rest:
        raise InputError(
            f"--delegate must be none, npu, npu:PROFILE, package.module:ClassName or file.py:ClassName, got '{spec}'."
        )
    return make_delegate(load_class(kind, rest), f"--delegate {spec}", options)


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
