"""Objects that belong to one process, and objects that go to other processes."""

from __future__ import annotations

import pickle
from threading import Lock

import pytest

from lite_delegate.basics.forking import check_pickles, stays_here


class Here:
    """Stays in its process."""

    def __reduce_ex__(self, protocol: object) -> str:
        stays_here(self, "make another one there")


def test_an_object_of_one_process_says_what_to_do() -> None:
    text = "^Here belongs to its process, and can be neither pickled nor copied: make another one there.$"
    with pytest.raises(TypeError, match=text):
        pickle.dumps([Here()])


def test_an_object_that_does_not_pickle_is_named_with_the_reason() -> None:
    check_pickles([1, "two"], "The list", "leave it out")
    with pytest.raises(TypeError, match=r"^The lock does not pickle \(TypeError: .*\): leave it out.$"):
        check_pickles(Lock(), "The lock", "leave it out")
