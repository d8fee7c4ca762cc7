from __future__ import annotations

from lite_delegate import DeviceEstimate, LayerEstimate
from lite_delegate.delegate.answers.estimate import in_turn


def test_layers_of_later_parts_start_after_the_end_of_those_before() -> None:
    first = DeviceEstimate(10.0, 100, 7, (LayerEstimate("a", "Conv", ("x",), 8.0, 80, 7, 2.0),))
    second = DeviceEstimate(5.0, 50, 3, (LayerEstimate("b", "Add", ("y",), 4.0), LayerEstimate("c", "Mul", (), 1.0)))
    third = DeviceEstimate(1.0, 10, 0, (LayerEstimate("d", "Neg", (), 0.5, 5, 0, 0.5),))
    whole = in_turn([first, second, third])
    assert (whole.estimated_us, whole.estimated_cycles, whole.estimated_bytes) == (16.0, 160, 10)
    assert [layer.name for layer in whole.layers] == ["a", "b", "c", "d"]
    assert [layer.estimated_start_us for layer in whole.layers] == [2.0, None, None, 15.5]


def test_of_nothing() -> None:
    assert in_turn([]) == DeviceEstimate(0.0)
