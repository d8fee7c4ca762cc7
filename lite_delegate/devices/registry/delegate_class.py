"""Delegates of the user: the class that a SPEC names, in a module or a file, and a delegate made with options."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Union, get_args, get_origin

from ...basics.failures import OURS
from ...basics.similar import did_you_mean
from ...delegate import Delegate
from ...errors import DelegateClassError

WORDS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}
"""The words for yes and no in the value of an option."""
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def load_class(where: str, class_name: str) -> type[Delegate]:
    """A class derived from ``Delegate``.

    Args:
        where: a module, looked for in the working directory too; or a file that ends with .py.
        class_name: the name of the class in the module or file.

    Raises:
        DelegateClassError: there is no such file, module or class, the class is no delegate, or the import fails; the
            message then has the line of the failure, and the error the cause.
    """
    who = f"--delegate {where}:{class_name}"
    try:
        module = _from_file(Path(where), who) if where.endswith(".py") else _from_module(where)
    except DelegateClassError:
        raise
    except Exception as e:  # importing runs the user's code, which may raise anything
        text = f"{who}: cannot import it: {type(e).__name__}: {e}{_line_of(e)}."
        raise DelegateClassError(text) from (None if _is_missing(e, where) else e)
    cls = getattr(module, class_name, None)
    if cls is None:
        text = f"AttributeError: module {module.__name__!r} has no attribute {class_name!r}"
        raise DelegateClassError(f"{who}: cannot import it: {text}{_others(where, class_name) or '.'}")
    if not (isinstance(cls, type) and issubclass(cls, Delegate)):
        raise DelegateClassError(
            f"{who} must be a class derived from lite_delegate.Delegate{_others(where, class_name) or '.'}"
        )
    return cls


def make_delegate(cls: type[Delegate], who: str, options: Mapping[str, object]) -> Delegate:
    """A delegate made with options: its constructor's parameters by name; ``options`` receives all other options.

    A text becomes a value of the parameter's annotated type (bool, int, float, Path), or of the default's type.

    Raises:
        DelegateClassError: an option is unknown, a required option is missing, a value does not fit, or the constructor
            fails.
    """
    parameters = _parameters(cls)
    arguments: dict[str, Any] = {}
    rest: dict[str, object] = {}
    for key, value in options.items():
        parameter = parameters.get(key.replace("-", "_"))
        if parameter is None or parameter.name == "options" or parameter.kind not in NAMED:
            rest[key] = value
        else:
            arguments[parameter.name] = _value(cls, parameter, value) if isinstance(value, str) else value
    if "options" in parameters and (rest or parameters["options"].default is inspect.Parameter.empty):
        arguments["options"] = rest
    elif rest and any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        arguments.update(rest)
    elif rest:
        raise DelegateClassError(_unknown(cls, who, parameters, options, rest))
    for parameter in parameters.values():
        is_needed = parameter.kind in NAMED and parameter.default is inspect.Parameter.empty
        if is_needed and parameter.name not in arguments:
            name = parameter.name
            raise DelegateClassError(
                f'{who}: option "{name}" of {cls.__name__} is required: --delegate-option {name}=...'
            )
    try:
        return cls(**arguments)
    except Exception as e:
        raise DelegateClassError(f"{who}: cannot make it: {type(e).__name__}: {e}{_line_of(e)}.") from e


def _is_missing(error: Exception, module: str) -> bool:
    """Whether the module that the user names, or a package that it is in, is not there."""
    return isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")


def _from_module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return importlib.import_module(name)


def _from_file(path: Path, who: str) -> ModuleType:
    """The module in a file, run once; it may import the modules beside the file."""
    if not path.is_file():
        folder = path.parent
        beside = [p.name for p in folder.glob("*.py")] if folder.is_dir() else []
        raise DelegateClassError(f"{who}: there is no file '{path}'{did_you_mean(path.name, beside) or '.'}")
    full = path.resolve()
    name = f"{full.stem}_{blake2b(os.fsencode(full), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    if str(full.parent) not in sys.path:
        sys.path.insert(0, str(full.parent))
    found = importlib.util.spec_from_file_location(name, full)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _others(where: str, class_name: str) -> str:
    """The end of a message: the delegates with a similar name, or all delegates of the module."""
    full = str(Path(where).resolve()) if where.endswith(".py") else None
    modules = [m for m in list(sys.modules.values()) if m is not None]
    found = sys.modules.get(where) or next((m for m in modules if getattr(m, "__file__", None) == full), None)
    if found is None:
        return ""
    names = [
        name
        for name, each in vars(found).items()
        if isinstance(each, type) and issubclass(each, Delegate) and each.__module__ == found.__name__
    ]
    return did_you_mean(class_name, names) or (f"; its delegates: {', '.join(names)}." if names else "")


def _line_of(error: Exception) -> str:
    """The outermost line of the user's code that an error comes from; inner lines may be in other code."""
    if isinstance(error, SyntaxError):  # its own message has the line
        return ""
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(("<frozen", OURS)) and frame.filename != importlib.__file__:
            return f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return ""


def _parameters(cls: type[Delegate]) -> dict[str, inspect.Parameter]:
    for evaluated in (True, False):
        try:
            return dict(inspect.signature(cls, eval_str=evaluated).parameters)
        except Exception:  # annotations are the user's code; and some constructors have no signature
            continue
    return {}


def _unknown(
    cls: type[Delegate],
    who: str,
    parameters: Mapping[str, inspect.Parameter],
    options: Mapping[str, object],
    rest: Mapping[str, object],
) -> str:
    names = [p.name for p in parameters.values() if p.kind in NAMED]
    if not names:
        return (
            f"{who} has no options, got {', '.join(options)}. A delegate takes options as parameters of its "
            "constructor, or all options in one parameter 'options'."
        )
    first = next(iter(rest))
    return (
        f"{who}: {cls.__name__} has no option '{first}'{did_you_mean(first, names) or '.'} Options: {', '.join(names)}."
    )


def _value(cls: type[Delegate], parameter: inspect.Parameter, text: str) -> Any:
    kind = _kind(parameter)
    try:
        return WORDS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        wanted = {bool: "yes or no", int: "an integer", float: "a number"}[kind]
        raise DelegateClassError(
            f'Option "{parameter.name}" of {cls.__name__} must be {wanted}, got {text!r}.'
        ) from None


def _kind(parameter: inspect.Parameter) -> type[Any]:
    """The type that a text for a parameter becomes."""
    default = parameter.default
    given: Sequence[Any] = (parameter.annotation,)
    if get_origin(parameter.annotation) in (Union, UnionType):
        given = get_args(parameter.annotation)
    if parameter.annotation is inspect.Parameter.empty and default is not inspect.Parameter.empty:
        given = (type(default),)
    return next((kind for kind in (bool, int, float) if kind in given), Path if _is_path(given) else str)


def _is_path(given: Sequence[Any]) -> bool:
    return any(isinstance(each, type) and issubclass(each, Path) for each in given) and str not in given
