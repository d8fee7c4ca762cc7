"""What instructions declare of number formats must be true: ``reads_format`` and ``rounds``."""

import inspect

import pytest

from lite_delegate.npu.device.instruction_set import ALL_INSTRUCTIONS
from lite_delegate.npu.device.movement import Movement


@pytest.mark.parametrize("kind", ALL_INSTRUCTIONS)
def test_what_is_not_handed_the_format_does_not_ask_for_it(kind):
    source = inspect.getsource(kind.run)
    if not kind.reads_format:
        assert "finfo" not in source
        assert "float16" not in source
        assert "dtype ==" not in source
        assert "dtype.type" not in source


def test_only_what_moves_elements_leaves_out_the_rounding():
    exact = {kind.__name__ for kind in ALL_INSTRUCTIONS if not kind.rounds}
    movements = {kind.__name__ for kind in ALL_INSTRUCTIONS if issubclass(kind, Movement)} - {"Pad"}
    assert exact == movements | {"View", "Join"}
