"""Options of commands that set properties: the help is the property's effect in the words of the command."""

from __future__ import annotations

import click
import pytest

from lite_delegate.cli.main import main
from lite_delegate.cli.options.property_options import memory_limit_option, property_option


def _option(decorator) -> click.Option:
    (option,) = click.command()(decorator(lambda **_: None)).params
    assert isinstance(option, click.Option)
    return option


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("STRICT", "Building a model fails if any kernel would run on the CPU."),
        ("ENABLE_MMAP", "The model's files are read into memory."),
        (
            "ON_DEVICE_ERROR",
            "The outcome of a run in which a graph kernel fails: raise is a DelegateExecuteError, fallback lets the "
            "CPU run the subgraph.",
        ),
        (
            "OPTIMIZE",
            "general: an imported graph is folded and fused, and values that follow from the shapes are constants in "
            "plans. none: the graph stays as it was imported.",
        ),
        (
            "STEP_LIMIT",
            "Steps that a prediction may take at most: calls of loops, and millions of terms of one kernel.",
        ),
    ],
)
def test_the_help_of_an_option_is_the_effect_of_its_property(name, text):
    assert _option(property_option(name, "--option")).help == text


@pytest.mark.parametrize(("text", "value"), [("none", None), ("NONE", None), ("2K", 2048), ("7", 7)])
def test_a_memory_limit_is_a_number_of_bytes_or_none(text, value):
    option = _option(memory_limit_option)
    assert option.callback is not None
    with main.make_context("lite-delegate", ["info"], resilient_parsing=True) as context:
        assert option.callback(context, option, text) == value
