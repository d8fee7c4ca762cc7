from __future__ import annotations

import re

import pytest

from lite_delegate.devices.registry.names import Auto, Batch, Hetero, Multi, Physical, parse_device
from lite_delegate.errors import InputError

NPU, CPU = Physical("NPU"), Physical("CPU")
GOOD = [
    ("CPU", CPU),
    ("NPU", NPU),
    ("npu", Physical("npu")),
    ("my-chip_2", Physical("my-chip_2")),
    ("NPU.4000", Physical("NPU", "4000")),
    ("NPU.4000.0", Physical("NPU", "4000.0")),
    ("npu:kirin", Physical("npu", "kirin")),
    ("MYRIAD", Physical("NPU", "myriad_x")),
    ("HETERO:MYRIAD,hddl,CPU", Hetero((Physical("NPU", "myriad_x"), Physical("NPU", "hddl"), CPU))),
    ("npu:a/my chip.toml", Physical("npu", "a/my chip.toml")),
    ("HETERO:NPU,CPU", Hetero((NPU, CPU))),
    ("hetero:NPU", Hetero((NPU,))),
    ("HETERO: NPU , CPU ", Hetero((NPU, CPU))),
    ("HETERO:npu:kirin,NPU.4000.1,CPU", Hetero((Physical("npu", "kirin"), Physical("NPU", "4000.1"), CPU))),
    ("AUTO", Auto()),
    ("auto", Auto()),
    ("AUTO:NPU,CPU", Auto((NPU, CPU))),
    ("AUTO:-CPU", Auto((), (CPU,))),
    ("AUTO:NPU,-CPU,-NPU.4000", Auto((NPU,), (CPU, Physical("NPU", "4000")))),
    ("MULTI:NPU,CPU", Multi((NPU, CPU))),
    ("BATCH:NPU", Batch(NPU)),
    ("BATCH:NPU(4)", Batch(NPU, 4)),
    ("BATCH:NPU.4000.0(16)", Batch(Physical("NPU", "4000.0"), 16)),
    ("BATCH:HETERO:NPU,CPU(4)", Batch(Hetero((NPU, CPU)), 4)),
]
BAD = [
    ("", "the name of a device at position 1, found the end"),
    ("4000", "the name of a device at position 1, found '4'"),
    (".NPU", "the name of a device at position 1"),
    ("NPU.", "an id such as '4000' or '4000.0' at position 5, found the end"),
    ("NPU..0", "at position 5, found '.'"),
    ("NPU:", "a profile at position 5"),
    ("NPU 4000", "'.ID', ',' or the end at position 4, found ' '"),
    ("NPU,CPU", "at position 4, found ','"),
    ("HETERO", "':' and devices, as in 'HETERO:NPU,CPU' at position 7, found the end"),
    ("HETERO:", "the name of a device at position 8, found the end"),
    ("HETERO:NPU,,CPU", "the name of a device at position 12, found ','"),
    ("HETERO:NPU,CPU,", "the name of a device at position 16, found the end"),
    ("HETERO:,CPU", "the name of a device at position 8, found ','"),
    ("HETERO:NPU,npu", "'npu' at position 12 is there twice"),
    ("HETERO:npu:kirin,NPU.kirin", "'NPU.kirin' at position 18 is there twice"),
    ("HETERO:AUTO,CPU", "a device that is not made of other devices, which 'AUTO' is, at position 8"),
    ("HETERO:NPU(4)", "at position 11, found '('"),
    ("AUTO:", "the name of a device at position 6, found the end"),
    ("AUTO:BATCH:NPU,CPU", "a device that is not made of other devices, which 'BATCH' is, at position 6"),
    ("AUTO:NPU,-NPU", "'NPU' at position 11 is there twice"),
    ("AUTO:-", "the name of a device at position 7, found the end"),
    ("MULTI", "at position 6, found the end"),
    ("MULTI:NPU,-CPU", "the name of a device at position 11, found '-'"),
    ("BATCH:", "the name of a device at position 7, found the end"),
    ("BATCH:CPU(x)", "a number from 1 to 4096 at position 11, found 'x'"),
    ("BATCH:CPU(0)", "a number from 1 to 4096 at position 11, found '0'"),
    ("BATCH:CPU()", "a number from 1 to 4096 at position 11, found ')'"),
    ("BATCH:CPU(-1)", "a number from 1 to 4096 at position 11, found '-'"),
    ("BATCH:CPU(99999999999999)", "a number from 1 to 4096 at position 11"),
    ("BATCH:CPU(4", "'(NUMBER)' at the end at position 10"),
    ("BATCH:CPU(4)x", "'(NUMBER)' at the end at position 10"),
    ("BATCH:NPU,CPU(4)", "'BATCH:HETERO:NPU,CPU(4)' at position 10, found ','"),
    ("BATCH:AUTO:NPU(2)", "which 'AUTO' is, at position 7"),
    ("MULTI:BATCH:NPU(2)", "which 'BATCH' is, at position 7"),
]


@pytest.mark.parametrize(("text", "expected"), GOOD)
def test_names_are_read(text, expected) -> None:
    assert parse_device(text) == expected


@pytest.mark.parametrize(("text", "expected"), GOOD)
def test_a_device_reads_as_it_is_written(text, expected) -> None:
    assert parse_device(str(expected)) == expected


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_wrong_name_is_reported_with_the_position(text, message) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_device(text)


def test_a_name_is_a_text() -> None:
    with pytest.raises(InputError, match="must be a text such as 'NPU'"):
        parse_device(4000)  # type: ignore[arg-type]
