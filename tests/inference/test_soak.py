"""A short stretch of what ``python -m tests.inference.soak`` does for longer."""

from __future__ import annotations

from tests.inference.soak import Soak


def test_threads_that_do_anything_to_shared_models_get_right_results() -> None:
    soak = Soak(1.5)
    soak.run()
    assert set(soak.done) == {"infer", "start", "cancel", "await", "queue"}
