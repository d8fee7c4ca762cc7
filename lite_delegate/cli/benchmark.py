"""``lite-delegate benchmark``: the latency of predictions and, on request, the parts of the time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
from click.core import ParameterSource

from ..benchmark import AUTO, RENDERERS, Benchmark, BenchmarkOptions, RunLimits, trace_json
from ..benchmark import benchmark as measure
from ..benchmark.memory import peak_resident
from ..benchmark.recorder import CLOCK
from ..errors import InputError
from ..inference.properties.cpu_properties import THREADS
from ..mindspore.model import Model
from .first_inference import FORMS, Order, measured
from .first_inference import RUNS as FIRST_RUNS
from .frame.command import command
from .frame.hints import say_slow_numpy
from .frame.loudness import progress
from .options.build_options import SPLITTING, BuildOptions, building_options
from .options.model_inputs import given_arrays, input_arrays, input_option, random_seed_option
from .options.options import (
    allow_fallback_option,
    cache_dir_option,
    delegate_option,
    emit,
    format_option,
    full_option,
    model_argument,
    output_option,
    write_noted,
)
from .options.property_options import cpu_backends_option, on_delegate_error_option, strict_option, threads_option

DEFAULT = RunLimits()


@command()
@model_argument
@delegate_option("none", several=True)
@click.option(
    "--warmup",
    type=click.IntRange(0),
    metavar="N",
    default=3,
    show_default=True,
    help="Runs before measuring; 0: none.",
)
@click.option("--runs", type=click.IntRange(1), metavar="N", help=f"Runs to measure; {DEFAULT.runs} without --seconds.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help=f"Stop measuring after so long; with neither this nor --runs: {DEFAULT.seconds:g}.",
)
@threads_option
@input_option
@random_seed_option
@click.option("--profile", is_flag=True, help="Run as often again with recording, and show where the time goes.")
@click.option(
    "--first-inference",
    is_flag=True,
    help=f"Measure the first inference of new processes instead, part by part, with and without a cache; --runs "
    f"processes of each kind, {FIRST_RUNS} unless said.",
)
@click.option(
    "--requests",
    metavar="N|auto",
    callback=lambda context, parameter, text: None if text is None else _parse_requests(text),
    help="Measure as often again with N requests in flight; auto: with 1, 2, 3, 4, 6, ..., to find the fewest that "
    "give the most.",
)
@click.option(
    "--no-check", is_flag=True, help="Leave out the prediction on the CPU that shows whether the outputs are usable."
)
@output_option("--trace", metavar="FILE.json", help_text="For Perfetto; implies --profile.")
@format_option(*RENDERERS)
@output_option("-o", "--output")
@full_option
@building_options(
    cache_dir_option,
    strict_option,
    allow_fallback_option,
    cpu_backends_option("auto"),
    on_delegate_error_option,
    *SPLITTING,
)
def benchmark(
    model: Path,
    warmup: int,
    runs: int | None,
    seconds: float | None,
    inputs: tuple[str, ...],
    random_seed: int,
    profile: bool,
    first_inference: bool,
    requests: int | None,
    no_check: bool,
    trace: Path | None,
    format_: str,
    output: Path | None,
    building: BuildOptions,
) -> None:
    """Measures how long predictions of MODEL take. Inputs that are not given are random."""
    if first_inference:
        has_warmup = click.get_current_context().get_parameter_source("warmup") is not ParameterSource.DEFAULT
        others = {"--input": inputs, "--seconds": seconds, "--profile": profile, "--trace": trace}
        _check_alone({"--warmup": has_warmup, **others, "--requests": requests is not None})
        order, count = Order(0, building, model, random_seed), runs or FIRST_RUNS
        return emit(FORMS[format_](measured(order, count)), output)
    limits = DEFAULT if runs is None and seconds is None else RunLimits(runs, seconds)
    wanted = BenchmarkOptions(warmup, limits, profile or trace is not None, requests, check=not no_check)
    memory_before = peak_resident()
    started = CLOCK()
    graph = building.read(model)
    build_ns = CLOCK() - started
    given = given_arrays([value.name for value in graph.inputs], inputs)
    started = CLOCK()
    built = building.build(graph, model, given)
    arrays, _ = input_arrays(built, given, random_seed)
    build_ns += CLOCK() - started
    threads = building.values.number(THREADS)
    with progress(f"measuring {model.name}", is_still=True):
        found = measure(built, arrays, wanted, threads=threads, build_ns=build_ns, memory_before=memory_before)
    _write(found, built, format_, output, trace)
    say_slow_numpy(built.compiled, found.report.latency.p50 / 1e3)


def _parse_requests(text: str) -> int:
    """A number of requests in flight, or ``AUTO``.

    Raises:
        InputError: a text that is neither.
    """
    if text.lower() == "auto":
        return AUTO
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"--requests must be a number of at least 1, or auto, got '{text}'.")
    return int(text)


def _check_alone(others: Mapping[str, object]) -> None:
    given = [name for name, value in others.items() if value]
    if given:
        raise InputError(f"--first-inference starts new processes, and takes no {' or '.join(given)}; leave that out.")


def _write(found: Benchmark, model: Model, format_: str, output: Path | None, trace: Path | None) -> None:
    if trace is not None:
        write_noted(trace, trace_json(found.traced, model).encode())
    emit(RENDERERS[format_](found.report), output)
