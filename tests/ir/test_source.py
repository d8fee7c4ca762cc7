"""Sources: what nodes were in the file."""

from __future__ import annotations

from lite_delegate.ir import Source, joined_sources


def test_a_full_name_has_the_path_in_front() -> None:
    assert Source("add", "Add", ("loop", "body"), (3, 0)).full_name == "loop/body/add"
    assert Source("/conv1/Conv", "Conv").full_name == "/conv1/Conv"


def test_sources_are_joined_in_the_order_of_the_file_each_once() -> None:
    first, inner, last = (
        Source("b", "Relu", (), (2,)),
        Source("a", "Add", ("b",), (2, 5)),
        Source("a", "Add", (), (10,)),
    )
    assert joined_sources([[last], [inner, first], [last, first]]) == (first, inner, last)
    assert joined_sources([]) == ()
