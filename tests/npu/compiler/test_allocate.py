import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.compiler.allocate import FreeList
from lite_delegate.npu.device.programs.memory import ALIGNMENT, aligned
from tests.present import present

CAPACITY = 64 * 40


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.integers(0, 600), st.just(None)), max_size=60), st.data())
def test_no_two_stretches_overlap_whatever_the_lifetimes(requests, data):
    """A number takes so many bytes; None gives back one of the stretches that are taken."""
    memory = FreeList(CAPACITY)
    live: dict[int, int] = {}
    for nbytes in requests:
        if nbytes is None:
            if live:
                offset = data.draw(st.sampled_from(sorted(live)))
                memory.give(offset)
                del live[offset]
            continue
        offset = memory.take(nbytes)
        taken = sorted((start, start + size) for start, size in live.items())
        if offset is None:
            ends, starts = [0, *(stop for _, stop in taken)], [*(start for start, _ in taken), CAPACITY]
            assert all(start - end < aligned(nbytes) for end, start in zip(ends, starts, strict=True))
            continue
        assert offset % ALIGNMENT == 0
        assert 0 <= offset <= CAPACITY - nbytes
        assert all(offset + nbytes <= start or stop <= offset for start, stop in taken)
        live[offset] = aligned(nbytes)
    for offset in live:
        memory.give(offset)
    assert memory.take(CAPACITY) == 0


def test_the_smallest_hole_that_fits_is_taken():
    memory = FreeList(64 * 10)
    a, _, c, _ = memory.take(64 * 3), memory.take(64), memory.take(64 * 2), memory.take(64)
    memory.give(present(a))
    memory.give(present(c))
    assert memory.take(100) == c
    assert memory.take(64 * 3 + 1) is None
    assert memory.peak == 64 * 7


def test_only_what_is_taken_can_be_given_back():
    memory = FreeList(128)
    with pytest.raises(KeyError):
        memory.give(0)
    assert memory.take(64) == 0
    memory.give(0)
    with pytest.raises(KeyError):
        memory.give(0)


def test_the_last_byte_of_a_memory_can_be_taken_and_no_more():
    assert FreeList(128).take(128) == 0
    assert FreeList(128).take(129) is None
    assert FreeList(0).take(1) is None
    assert FreeList().take(2**40) == 0


@pytest.mark.parametrize(("nbytes", "expected"), [(0, 64), (1, 64), (64, 64), (65, 128)])
def test_sizes_are_rounded_up(nbytes, expected):
    assert aligned(nbytes) == expected
