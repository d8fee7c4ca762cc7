"""Compiling through the cache: what the key of a compiled model has, and the way into a file and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter_ns
from types import MappingProxyType
from typing import Any

from ..cache import CacheOptions, CacheOutcome, CacheStatus
from ..cache.folder import CacheFolder
from ..cache.key import CacheKey
from ..cache.through import Made, explained, through_cache
from ..delegate import cancel_point
from ..delegate.keeping import keeping_result
from ..errors import DelegateBuildError, DelegateError, GraphError
from ..formats.external_files import external_files
from ..formats.ms.apart import ConstantSink, weights_of
from ..formats.ms.writer import ms_bytes
from ..ir import Graph
from ..reporting.plain import to_plain
from ..runtime.settings import Settings
from ..sections import FORMAT_VERSION, SectionedFile, canonical_json
from ..version import VERSION
from .compiled_model import CompiledModel, of_parts
from .model_file.exporting import sections_of
from .model_file.header import SCHEMA, key_of
from .model_file.importing import parts_from
from .model_file.sources import plain_sources

SPEED = "OPTIMIZE_SPEED"
NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is compiled, as far as the settings do not say.

    Attributes:
        content: gives the hexadecimal SHA-256 of the model's file, or of the graph.
        loading: what else says what is read: plain data.
        read: gives the graph that is compiled, for entries without weights.
        compile: compiles it without a cache.
        weights: gives the same hash of the files that the model's file names; "" where there are none.
    """

    content: Callable[[], str]
    read: Callable[[], Graph]
    compile: Callable[[], CompiledModel]
    loading: Mapping[str, Any] = field(default_factory=dict)
    weights: Callable[[], str] = str


def compiled_through_cache(
    recipe: Recipe, settings: Settings, cache: CacheOptions, warn: Callable[[str], None]
) -> CompiledModel:
    """A compiled model out of the cache, or compiled and written there; ``cache_outcome`` says which.

    Args:
        recipe: how it is compiled.
        settings: what the user asks for.
        cache: the folder, and how it is used.
        warn: is told what the user should know of the cache.

    Raises:
        CacheMiss: there is no entry, and one is required.
        RequestCancelled: the compilation was cancelled; others that wait for the same entry go on.
        LiteDelegateError: the model cannot be compiled.
    """
    started = perf_counter_ns()
    key = _key(recipe, settings, cache)
    hash_ns = perf_counter_ns() - started
    if not isinstance(key, CacheKey):
        made = recipe.compile()
        return _told(made, CacheOutcome(CacheStatus.BYPASSED, reason=key, ns={"hash": hash_ns}))
    with_weights = cache.mode == SPEED

    def load(file: SectionedFile) -> CompiledModel:
        weights = {} if with_weights else weights_of(recipe.read())
        return of_parts(parts_from(file, settings, weights, "" if with_weights else "the model's file"))

    def parts(compiled: CompiledModel) -> Any:
        _check_whole(compiled)
        return sections_of(compiled.parts(), with_weights=with_weights)

    def make() -> CompiledModel:
        with keeping_result():
            return recipe.compile()

    made, outcome = through_cache(CacheFolder(cache), key, Made(make, load, parts), warn, cancel_point)
    times = {"hash": hash_ns, **outcome.ns}
    return _told(made, replace(outcome, ns=times))


def _told(made: CompiledModel, outcome: CacheOutcome) -> CompiledModel:
    made.log.write("LOG_INFO", "%s (%s)", outcome.text, outcome.path or "no entry")
    return made.with_cache_outcome(outcome)


def explain(recipe: Recipe, settings: Settings, cache: CacheOptions) -> CacheOutcome:
    """What the cache would do for a compilation: nothing is compiled, and nothing read but headers."""
    key = _key(recipe, settings, cache)
    if not isinstance(key, CacheKey):
        return CacheOutcome(CacheStatus.BYPASSED, reason=key)
    folder = CacheFolder(cache)
    try:
        file = folder.read(key)
        if file is not None:
            file.check()
            return CacheOutcome(CacheStatus.HIT, key.digest, str(folder.path(key)))
    except Exception as e:
        return explained(folder, key, str(e))
    return explained(folder, key)


def _key(recipe: Recipe, settings: Settings, cache: CacheOptions) -> CacheKey | str:
    """The key, or why there is none."""
    if settings.plan_only:
        return "the model is only planned"
    try:
        devices = [{"name": each.name, "key": dict(key_of(each))} for each in settings.delegates]
        content, weights = recipe.content(), recipe.weights()
    except (DelegateBuildError, GraphError) as e:
        return str(e)
    except OSError:  # whoever reads the model says what is wrong
        return "the model cannot be read"
    options = to_plain(settings.partition)
    return CacheKey(
        {
            "content": content,
            "weights": weights,
            "loading": {**recipe.loading, "strict": settings.strict},
            "software": {"package": VERSION, "schema": SCHEMA, "format": FORMAT_VERSION},
            "device": {each["name"]: each["key"] for each in devices},
            "devices": [each["name"] for each in devices],
            "partition": {
                **options,
                "kernel_times": _times(settings),
                "custom_kernels": sorted(settings.customs),
                "reference_kernels": settings.reference_kernels,
                "rewrites": settings.rewrites,
                "folds": settings.folds,
            },
            "mode": {"mode": cache.mode, "encrypted": cache.encryption is not None},
        }
    )


def _times(settings: Settings) -> Any:
    """What the times of kernels say: of a file its contents."""
    times = settings.kernel_times
    if isinstance(times, str):
        try:
            return hashlib.sha256(Path(times).read_bytes()).hexdigest()
        except OSError:  # planning says what is wrong with it
            return times
    return None if times is None else hashlib.sha256(repr(to_plain(times)).encode()).hexdigest()


def _check_whole(compiled: CompiledModel) -> None:
    """Checks that a compiled model is what the same settings give elsewhere.

    Raises:
        DelegateError: a device was not there, or a delegate failed: that may be otherwise the next time.
    """
    absent = compiled.parts().scheduled.session.absent
    if absent:
        raise DelegateError(f"The device of delegate '{next(iter(absent))}' is not there.")
    failures = compiled.partition.failures
    if failures:
        raise DelegateError(f"A delegate failed while it compiled: {failures[0].text}")


def content_of_files(paths: Sequence[Path]) -> str:
    """The hexadecimal SHA-256 over the contents of files, in this order; their names and places do not matter.

    Raises:
        OSError: one cannot be read.
    """
    whole = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def recipe_of_file(
    path: Path,
    level: str,
    read: Callable[[], Graph],
    make: Callable[[], CompiledModel],
    loading: Mapping[str, Any] = NOTHING_MORE,
) -> Recipe:
    """The recipe of a model in a file.

    Args:
        path: of the file.
        level: at which what is imported is optimized.
        read: gives the graph that is compiled.
        make: compiles it without a cache.
        loading: what else says what is compiled, plain data.
    """

    def weights() -> str:
        files = external_files(path)
        return content_of_files(files) if files else ""

    return Recipe(lambda: content_of_files([path]), read, make, {"optimize": level, **loading}, weights)


def recipe_of_graph(
    graph: Graph, make: Callable[[], CompiledModel], loading: Mapping[str, Any] = NOTHING_MORE
) -> Recipe:
    """The recipe of a graph in memory; arguments as for ``recipe_of_file``."""
    return Recipe(lambda: content_of_graph(graph), lambda: graph, make, loading)


def content_of_graph(graph: Graph) -> str:
    """The hexadecimal SHA-256 of a graph, wherever it comes from.

    Raises:
        GraphError: it holds what ``.ms`` cannot say.
    """
    written = ms_bytes(graph, ConstantSink(weights_of(graph)))
    return hashlib.sha256(written + canonical_json(plain_sources(graph))).hexdigest()
