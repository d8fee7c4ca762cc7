"""Images as the inputs of a prediction on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import numpy as np

from ...basics.data_class import dataclass
from ...basics.opening import read_regular
from ...errors import InputError
from ...ir import DataType, Value, to_numpy
from ..frame.loudness import note
from .files import INPUT_TEXT, InputFile
from .model_inputs import named_files
from .options import add_options

if TYPE_CHECKING:
    from ...batch.preprocessing.image_options import ImageOptions
    from ...batch.preprocessing.image_plan import ImagePlan

Array = np.ndarray[Any, Any]
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ImageInputs:
    """The images that are inputs of a prediction, and how they become values.

    Attributes:
        texts: ``NAME=FILE`` each, or a file alone for a model with one input.
        preprocess: a TOML file as ``batch --preprocess`` has it; None: nothing but ``mean`` and ``std`` is said.
        mean, std: of pixels from 0 to 1; one number, or one for each channel.
    """

    texts: tuple[str, ...] = ()
    preprocess: Path | None = None
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()

    def arrays(self, inputs: Sequence[Value]) -> dict[str, Array]:
        """The values of the inputs that get images, by name, each with a first dimension of 1 where the input has it.

        Each says on standard error how the image became values.

        Args:
            inputs: of the model.

        Raises:
            InputError: a file is no image, an input cannot have one, or the options do not fit.
            OSError: a file cannot be read.
        """
        if not self.texts:
            if self.preprocess is not None or self.mean or self.std:
                raise InputError("--preprocess, --mean and --std are for --image, which is not given.")
            return {}
        files = named_files("--image", "FILE", [value.name for value in inputs], self.texts)
        found = {value.name: value for value in inputs}
        options = self._options(list(found))
        return {name: self._array(found[name], file, options.get(name)) for name, file in files.items()}

    def _options(self, names: Sequence[str]) -> Mapping[str, ImageOptions]:
        from ...batch.preprocessing.image_file import read_image_file

        if self.preprocess is None:
            return {}
        if self.mean or self.std:
            raise InputError("--preprocess says how images become values; leave out --mean and --std.")
        return read_image_file(str(self.preprocess), names)

    def _array(self, value: Value, file: Path, options: ImageOptions | None) -> Array:
        from ...batch.preprocessing.image_feed import image_values
        from ...batch.preprocessing.image_options import ImageOptions
        from ...batch.preprocessing.image_pixels import BadImage, pixels
        from ...batch.preprocessing.image_plan import image_plan
        from ...batch.rows.row_type import RowType

        dims, has_rows = _row(value, file)
        is_text = value.dtype == DataType.STRING
        wanted = RowType(value.name, np.dtype(object if is_text else to_numpy(value.dtype)), dims)
        if options is None:
            options = ImageOptions(scale=1 / 255 if wanted.dtype.kind == "f" else 1.0)
            options = replace(options, mean=self.mean or options.mean, std=self.std or options.std)
        try:
            plan = image_plan(wanted, options)
            array = image_values(pixels(read_regular(file), plan), plan)
        except BadImage as e:
            raise InputError(f"--image {value.name}: '{file}' {e}.") from e
        except InputError as e:
            raise InputError(f"--image {value.name}: {str(e).removeprefix('--preprocess: ')}") from e
        note(f"note: --image {value.name}: {_said(plan)}")
        return array[None] if has_rows else array


def _row(value: Value, file: Path) -> tuple[tuple[int | None, ...], bool]:
    """The dimensions of an image in an input, and whether the input has one for rows before them."""
    if value.shape is None:
        raise InputError(f"--image {value.name}: the model does not say which shape '{file}' must get.")
    dims = tuple(None if dim < 0 else int(dim) for dim in value.shape)
    has_rows = len(dims) == 4 or (bool(dims) and dims[0] in (1, None))
    if has_rows and dims[0] not in (1, None):
        raise InputError(f"--image {value.name}: the input takes {dims[0]} images at once, and one is given.")
    return dims[1:] if has_rows else dims, has_rows


def _said(plan: ImagePlan) -> str:
    options = plan.options
    size = "as it is" if plan.size is None else f"{options.fit} to {plan.size[0]} x {plan.size[1]}, {options.resize}"
    scale = "pixel / 255" if options.scale == 1 / 255 else f"pixel * {options.scale:g}"
    mean, std = (_text(numbers) for numbers in (options.mean, options.std))
    return f"{size}, {plan.colour}, ({scale} - {mean}) / {std}; --mean, --std or --preprocess FILE.toml change that"


def _text(numbers: Sequence[float]) -> str:
    words = [f"{number:g}" for number in numbers]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Numbers with commas between them.

    Raises:
        InputError: a text that is no such thing.
    """
    try:
        return () if text is None else tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{parameter.opts[0]} must be numbers such as 0.485,0.456,0.406; got '{text}'.") from None


def image_options(command: _F) -> _F:
    """Adds ``--image`` and the options about it; the command gets them as the parameter ``images``."""

    @wraps(command)
    def with_images(
        *args: Any, image: tuple[str, ...], preprocess: Path | None, mean: Any, std: Any, **kwargs: Any
    ) -> Any:
        return command(*args, images=ImageInputs(image, preprocess, mean, std), **kwargs)

    return cast(_F, add_options(with_images, _OPTIONS))


_OPTIONS = (
    click.option(
        "--image",
        type=INPUT_TEXT,
        multiple=True,
        metavar="NAME=FILE",
        help="An image as an input: resized to the input's shape, pixels of 0 to 1 where the input has fractions. "
        "Repeatable. The only input of a model needs no NAME=.",
    ),
    click.option(
        "--preprocess",
        type=InputFile(),
        metavar="FILE.toml",
        help="How images become values, as for 'lite-delegate batch'.",
    ),
    click.option("--mean", callback=_numbers, metavar="M[,M,M]", help="Taken from the pixels of --image."),
    click.option("--std", callback=_numbers, metavar="S[,S,S]", help="What the pixels of --image are divided by then."),
)
