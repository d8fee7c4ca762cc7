from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.device.programs.intervals import Intervals


def test_neighbors_do_not_meet():
    intervals = Intervals()
    intervals.add(10, 20, 1)
    intervals.add(30, 40, 2)
    assert intervals.meeting(20, 30) == []
    assert intervals.meeting(19, 30) == [1]
    assert intervals.meeting(20, 31) == [2]
    assert intervals.meeting(0, 99) == [1, 2]
    intervals.remove(20, 31)
    assert intervals.meeting(0, 99) == [1]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=30))
def test_they_meet_what_a_look_at_all_of_them_finds(stretches):
    intervals, present = Intervals(), dict[int, tuple[int, int]]()
    for name, (start, size) in enumerate(stretches):
        met = [other for other, (first, last) in present.items() if first < start + size and start < last]
        assert intervals.meeting(start, start + size) == sorted(met, key=present.__getitem__)
        intervals.remove(start, start + size)
        intervals.add(start, start + size, name)
        present = {other: at for other, at in present.items() if other not in met} | {name: (start, start + size)}
