"""Compiling through the cache: the key of a compiled model, and its way into an entry and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from ...basics.opening import read_regular
from ...cache import CacheOptions, CacheOutcome, CacheStatus
from ...cache.cached_value import CachedValue, explained, through_cache
from ...cache.folder import CacheFolder
from ...cache.key import CacheKey
from ...delegate import cancel_point
from ...delegate.kept_results import keeping_result
from ...errors import DelegateBuildError, DelegateError, GraphError
from ...formats.ms.in_model import ModelFiles
from ...formats.ms.separate_constants import NO_FILES, weights_of
from ...partition.options import FASTEST
from ...reporting.plain import to_plain
from ...runtime.settings import Settings
from ...sections.digest import digest_of_file
from ...sections.sections import FORMAT_VERSION, SectionedFile
from ...version import VERSION
from ..model_file.header import SCHEMA, key_of
from ..model_file.imported_parts import parts_from
from ..model_file.parts import ModelParts
from .recipe import Recipe

SPEED = "OPTIMIZE_SPEED"


def parts_through_cache(
    recipe: Recipe, settings: Settings, cache: CacheOptions, warn: Callable[[str], None]
) -> tuple[ModelParts, CacheOutcome]:
    """The parts of a compiled model, read from the cache or compiled and written there, and the outcome of the cache.

    Args:
        recipe: how the model is compiled.
        settings: of the user.
        cache: the folder, and how it is used.
        warn: gets the warnings about the cache.

    Raises:
        CacheMiss: the cache has no entry, and an entry is required.
        RequestCancelled: the compilation was cancelled; other threads that wait for the same entry go on.
        LiteDelegateError: the model cannot be compiled.
    """
    started = perf_counter_ns()
    key = _key(recipe, settings, cache)
    hash_ns = perf_counter_ns() - started
    if not isinstance(key, CacheKey):
        made = recipe.compile()
        return _told(made, CacheOutcome(CacheStatus.BYPASSED, reason=key, ns={"hash": hash_ns}))
    with_weights, files = cache.mode == SPEED, recipe.files()
    kept = files if with_weights else NO_FILES

    def load(file: SectionedFile) -> ModelParts:
        weights = {} if with_weights else weights_of(recipe.read())
        where = "" if with_weights else "the model's file"
        found = parts_from(file, settings, weights, where, kept, recipe.read)
        try:
            _check_unchanged(files)
        except DelegateError:
            found.scheduled.lease.close()
            raise
        return found

    def sections(parts: ModelParts) -> Any:
        from ..model_file.exported_sections import sections_of  # an entry that exists is not written again

        _check_whole(parts)
        _check_unchanged(files)
        return sections_of(parts, with_weights=with_weights, files=kept)

    def make() -> ModelParts:
        with keeping_result():
            return recipe.compile()

    made, outcome = through_cache(CacheFolder(cache), key, CachedValue(make, load, sections), warn, cancel_point)
    times = {"hash": hash_ns, **outcome.ns}
    return _told(made, replace(outcome, ns=times))


def _told(made: ModelParts, outcome: CacheOutcome) -> tuple[ModelParts, CacheOutcome]:
    made.scheduled.log.write("LOG_INFO", "%s (%s)", outcome.text, outcome.path or "no entry")
    return made, outcome


def explain(recipe: Recipe, settings: Settings, cache: CacheOptions) -> CacheOutcome:
    """The outcome that the cache would have for a compilation; nothing is compiled, and only headers are read."""
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
    """The key of the compilation, or the reason why it has none."""
    if settings.plan_only:
        return "the model is only planned"
    try:
        devices = [{"name": each.name, "key": dict(key_of(each))} for each in settings.delegates]
        weights, content = recipe.weights(), recipe.content()  # the other threads hash the contents meanwhile
    except (DelegateBuildError, GraphError) as e:
        return str(e)
    except OSError:  # the reader of the model raises the error
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
                "samples": _samples(settings),
                "precisions": {kind: dtype.name for kind, dtype in settings.precisions.items()},
            },
            **_measured_on(settings),
            "mode": {"mode": cache.mode, "encrypted": cache.encryption is not None},
        }
    )


def _measured_on(settings: Settings) -> dict[str, Any]:
    """The machine and the threads, for a plan that was chosen by measurement; empty for other placements."""
    if settings.partition.placement != FASTEST:
        return {}
    from ...runtime.planning.timing.identity import machine

    names = "threads", "stream_threads", "pins_threads"
    return {"measured": {"machine": machine(), **{name: getattr(settings, name) for name in names}}}


def _times(settings: Settings) -> Any:
    """The digest of the kernel times; of a file of kernel times the digest of its contents."""
    times = settings.kernel_times
    if isinstance(times, str):
        try:
            return hashlib.sha256(read_regular(times)).hexdigest()
        except OSError:  # planning raises the error
            return times
    return None if times is None else hashlib.sha256(repr(to_plain(times)).encode()).hexdigest()


def _samples(settings: Settings) -> str:
    """The digest of the file of samples, where a delegate asks for them."""
    if not settings.samples or not any(each.wanted_samples for each in settings.delegates):
        return ""
    try:
        return digest_of_file(Path(settings.samples))[0]
    except OSError:  # planning raises the error
        return settings.samples


def _check_whole(parts: ModelParts) -> None:
    """Checks that the same settings give the same compiled model in another process.

    Raises:
        DelegateError: a device was absent, or a delegate failed; the next compilation may succeed.
    """
    if parts.shape_error is not None:
        raise DelegateError("The model waits for the shapes of its inputs.")
    absent = parts.scheduled.session.absent
    if absent:
        raise DelegateError(f"The device of delegate '{next(iter(absent))}' is not there.")
    failures = parts.scheduled.plan.record.failures
    if failures:
        raise DelegateError(f"A delegate failed while it compiled: {failures[0].text}")


def _check_unchanged(files: ModelFiles) -> None:
    """Checks that the files of the model are as they were when they were hashed.

    Raises:
        DelegateError: a file of the model has been changed meanwhile.
    """
    if not files.are_unchanged():
        raise DelegateError("The model's file was changed while it was loaded.")
