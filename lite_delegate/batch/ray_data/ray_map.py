"""ray_map: a model over the rows of a data set of Ray Data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..driver.batch_options import BatchOptions
from ..engines.ray_engine.environment import runtime_environment
from ..engines.ray_engine.ray_engine import alive_nodes
from ..engines.ray_engine.ray_package import ray_package
from ..engines.ray_engine.resources import CPU, WorkerResources
from ..models.compiled_recipe import ModelSource, recipe_of
from .mapped_rows import MappedRows, actors_beside_reading, arrow_schema, mapped_order

NOTHING: Mapping[str, Any] = {}


def ray_map(
    dataset: Any,
    model: ModelSource,
    *,
    device: str = "CPU",
    properties: Mapping[str, object] = NOTHING,
    columns: Mapping[str, str] = NOTHING,
    constants: Mapping[str, Any] = NOTHING,
    keep: Sequence[str] | None = None,
    save: Sequence[str] = (),
    shapes: Mapping[str, tuple[Any, ...]] = NOTHING,
    rows: int | None = None,
    preprocess: str = "",
    postprocess: str = "",
    has_whole_inputs: bool = False,
    workers: int | None = None,
    resources: str = "",
    runtime_env: Mapping[str, Any] = NOTHING,
    batch_size: int | None = None,
) -> Any:
    """A data set with a model's outputs as columns, and a column ``error`` with the reason of each row without outputs.

    The model is compiled here, once; each actor opens the compiled model. Nothing runs before the result is read.

    Args:
        dataset: a ``ray.data.Dataset``; its schema is asked for, which may run a part of it.
        model: the path of a model's file, its bytes, a model that ``Core.compile_model`` has compiled, or a recipe.
        device: of a path or bytes, as for ``Core.compile_model``.
        properties: of the device. An actor has one thread where they say nothing of threads.
        columns: the columns of inputs by input; without it an input has the column of its name.
        constants: the values of inputs that are the same for all rows, by name.
        keep: the columns of the data set that the result has, too; None: all columns of numbers, texts and times.
        save: ``OUTPUT`` or ``OUTPUT=COLUMN`` for each output that is kept; empty: all.
        shapes: of inputs whose dimensions the model leaves open, by name.
        rows: of a run of the model, where it leaves them open; None: the usual number.
        preprocess, postprocess, has_whole_inputs: as for ``run``. The folder of a function's module must be there on
            all nodes.
        workers: the number of actors; None: as many as the cluster has room for beside one CPU for reading. Actors
            for whom there is no room beside it now are started when there is.
        resources: of an actor, "CPU=2,GPU=1,npu=1"; without CPU as many as the model has threads.
        runtime_env: of the actors, as Ray has it; the folders of this process's modules are added.
        batch_size: the rows that an actor gets at a time; None: a block of the data set.

    Returns:
        A ``ray.data.Dataset``.

    Raises:
        InputError: the rows do not fit the model, or Ray is not installed.
        OSError: the file of ``preprocess`` cannot be read.
        LiteDelegateError: the model cannot be read or compiled.
    """
    ray = ray_package()
    recipe = recipe_of(model, device, properties)
    options = BatchOptions(
        columns=columns,
        constants=constants,
        keep=None if keep is None else tuple(keep),
        save=tuple(save),
        preprocess=preprocess,
        postprocess=postprocess,
        has_whole_inputs=has_whole_inputs,
        shapes=shapes,
        rows=rows,
    )
    order, sent = mapped_order(recipe, arrow_schema(dataset), options)
    share = WorkerResources.read(resources).with_cpus(recipe.threads)
    count, cpus = actors_beside_reading(share, alive_nodes())
    share = WorkerResources({**share.amounts, CPU: cpus})
    return dataset.map_batches(
        MappedRows,
        fn_constructor_args=(order, sent),
        batch_format="pyarrow",
        batch_size=batch_size,
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=min(count, workers or count), max_size=workers or count),
        runtime_env=runtime_environment(runtime_env),
        **share.options,
    )
