"""A model over a data set: chunks of rows, engines that schedule them, and parts that are written whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .driver.batch_options import BatchOptions
    from .driver.progress import BatchProgress, BatchResult
    from .engines.engine import BatchEngine
    from .engines.local import LocalEngine
    from .engines.ray_engine.ray_engine import RayEngine
    from .models.compiled_recipe import CompiledRecipe
    from .models.recipe import CoreRecipe, ModelRecipe
    from .ray_data.ray_map import ray_map
    from .run_model import run
    from .written_samples import WrittenSamples, write_samples
else:
    __getattr__ = _deferred(
        __name__,
        {
            "BatchOptions": "driver.batch_options",
            "BatchProgress": "driver.progress",
            "BatchResult": "driver.progress",
            "BatchEngine": "engines.engine",
            "LocalEngine": "engines.local",
            "RayEngine": "engines.ray_engine.ray_engine",
            "CompiledRecipe": "models.compiled_recipe",
            "CoreRecipe": "models.recipe",
            "ModelRecipe": "models.recipe",
            "ray_map": "ray_data.ray_map",
            "run": "run_model",
            "WrittenSamples": "written_samples",
            "write_samples": "written_samples",
        },
    )

__all__ = [
    "BatchOptions",
    "BatchResult",
    "CompiledRecipe",
    "CoreRecipe",
    "BatchEngine",
    "LocalEngine",
    "ModelRecipe",
    "RayEngine",
    "BatchProgress",
    "WrittenSamples",
    "ray_map",
    "run",
    "write_samples",
]
