"""Files and tables of quantized operators name the same ones, and each is claimed and lowered in one way."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.npu.blob.attributes import attribute_records, from_attributes
from lite_delegate.npu.device.program import ElementType
from lite_delegate.npu.device.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.quantized_lookup import ByteLookup
from lite_delegate.npu.device.quantized_scaling import Requantization, Rounding, fixed_point
from lite_delegate.npu.device.window import Window
from lite_delegate.npu.ops import ALL_LOWERINGS, quantized
from lite_delegate.npu.ops.quantized.elementwise import ELEMENTWISE
from lite_delegate.npu.ops.quantized.movement import MOVEMENT
from lite_delegate.npu.ops.quantized.reals import THROUGH_REALS
from lite_delegate.npu.support import quantized as support
from tests.npu.test_tables import snake

NAMES = [entry.op_type for entry in quantized.ALL_QUANTIZED_LOWERINGS]
FAMILIES = {*ELEMENTWISE, *MOVEMENT, *THROUGH_REALS}


@pytest.mark.parametrize("package", [quantized, support])
def test_each_file_is_in_its_table(package) -> None:
    (folder,) = package.__path__
    files = sorted(path.stem for path in Path(folder).glob("op_*.py"))
    table = quantized.ALL_QUANTIZED_LOWERINGS if package is quantized else support.ALL_QUANTIZED_CHECKS
    assert [snake(entry.op_type) for entry in table if entry.op_type not in FAMILIES] == files


def test_what_may_be_claimed_is_what_can_be_lowered() -> None:
    assert [entry.op_type for entry in support.ALL_QUANTIZED_CHECKS] == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_families_are_of_operators_that_the_npu_has_on_real_numbers() -> None:
    on_reals = {entry.op_type for entry in ALL_LOWERINGS}
    assert FAMILIES & on_reals <= set(NAMES)
    assert set(NAMES) - FAMILIES <= on_reals | {"QuantDTypeCast"}


def test_instructions_on_integers_can_be_written_out() -> None:
    to = Requantization(fixed_point([0.1, 0.2], Rounding.HALF_UP), 3, -128, 100, ElementType.INT8)
    window = Window((3, 3), (1, 1), (1, 1), (0, 0), (4, 4))
    for made in (QuantizedConvolution(window, -7, (1, 2), to, 2), ByteLookup(tuple(range(256)), ElementType.UINT8)):
        records = {str(record["name"]): record for record in attribute_records(made)}
        assert from_attributes(type(made), records) == made
