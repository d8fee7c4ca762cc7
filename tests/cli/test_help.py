"""Help: options in groups, examples that the command takes, and a list of commands that imports none of them."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from lite_delegate.cli.frame.help_texts import COMMANDS, EXAMPLES, GROUPS, OWN, shared_options
from lite_delegate.cli.frame.settings import long_name
from lite_delegate.cli.main import main
from tests.commands import call


def command(name: str) -> click.Command:
    found: click.Command | None = main
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def test_options_are_listed_in_groups_and_examples_come_last() -> None:
    lines = call("report", "--help").stdout.splitlines()
    heads = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == [f"{group}:" for group in GROUPS if group != "Workers"] + ["Commands:", "Examples:"]
    assert lines[-1].startswith("  lite-delegate report")


def test_every_name_in_the_groups_is_an_option_of_a_command() -> None:
    there = {long_name(each) for name in COMMANDS for each in command(name).params if isinstance(each, click.Option)}
    assert set(shared_options()) - there - {"help"} == set()
    assert OWN in GROUPS


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_have_options_that_there_are(name: str) -> None:
    options = {option for each in command(name).params for option in each.opts}
    for example in EXAMPLES[name]:
        words = example.split()
        assert " ".join(words[: len(name.split())]) == name
        assert {word for word in words if word.startswith("-")} <= options


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_and_verbose(name: str) -> None:
    assert {"-q", "-v"} <= {option for each in command(name).params for option in each.opts}


def test_the_list_of_commands_imports_no_command() -> None:
    code = (
        "import sys; sys.argv = ['x', '--help']\n"
        "from lite_delegate.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "loaded = {name.split('.')[0] for name in sys.modules} & {'rich', 'tabulate', 'networkx', 'tqdm'}\n"
        "print(sorted(loaded), 'lite_delegate.cli.report' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] False"
