"""Pipes and devices in place of files: one line, at once, for every parameter of every command that is read."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from lite_delegate.formats.ms import write_ms
from tests.cli.test_outputs import READS, commands, given, parameters
from tests.commands import invoke
from tests.runtime.graphs import chain

MORE = {
    "times": ["--placement", "cost"],
    "baseline": ["--require", "coverage>=baseline"],
    "samples": ["--delegate", "tests.runtime.planning.samples.eight_bit:EightBitDelegate"],
}
"""What a parameter is of use with only."""


@pytest.mark.parametrize(("name", "read"), parameters(*READS), ids=lambda each: getattr(each, "name", each))
def test_nothing_waits_for_a_pipe_or_reads_a_device(tmp_path: Path, name: str, read: click.Parameter) -> None:
    if read.name == "options":
        pytest.skip("values of options are words unless an option says that its are paths")
    pipe, model = tmp_path / "pipe.toml", tmp_path / "m.ms"
    write_ms(chain(1), model)
    os.mkfifo(pipe)
    rest = [
        word
        for each in dict(commands())[name].params
        if each is not read and (each.required or each.name == "model")
        for word in given(each, tmp_path / "out.ms" if each.name == "output" else model)
    ]
    more = MORE.get(str(read.name), [])
    if name == "cache explain":
        more = [*more, "--cache-dir", str(tmp_path / "cache")]
    for path in (pipe, Path("/dev/zero")):
        if read.name == "spec" and path is not pipe:
            continue
        done = invoke(*name.split(), *rest, *given(read, path), *more)
        if (read.name == "times" or name == "cache explain") and done.exit_code == 0:  # says that there is no model
            continue
        assert (done.exit_code, done.output.count("\n")) == (2, 1), (path, done.output)
