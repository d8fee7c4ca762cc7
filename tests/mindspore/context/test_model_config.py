"""The section ``[lite_delegate]`` of configuration files and dicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate import (
    CacheStatus,
    Context,
    DelegateWarning,
    InputError,
    LimitError,
    LiteDelegateError,
    Model,
    PropertyError,
)
from lite_delegate.formats.ms import write_ms
from tests.runtime.graphs import chain


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.ms"
    write_ms(chain(1), path)
    return path


def test_it_holds_properties_of_the_context(plain: Path) -> None:
    context = Context()
    with pytest.raises(LimitError):
        Model().build_from_file(plain, context=context, config_dict={"lite_delegate": {"memory_limit": "1"}})
    assert context.memory_limit is None
    Model().build_from_file(plain, context=context)


def test_a_dict_comes_before_a_file(plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.ini"
    path.write_text("# limits\n[lite_delegate]\nmemory_limit = 1\nstep_limit=7\n")
    with pytest.raises(LimitError):
        Model().build_from_file(plain, config_path=str(path))
    model = Model()
    model.build_from_file(plain, config_path=str(path), config_dict={"lite_delegate": {"memory_limit": "1000000"}})
    budget = model.compiled.settings.budget
    assert (budget.memory, budget.steps) == (1000000, 7)


def test_it_stays_with_the_model(plain: Path) -> None:
    model = Model()
    model.build_from_file(plain, config_dict={"lite_delegate": {"memory_limit": "1000000"}})
    with pytest.raises(LimitError):
        model.resize(model.get_inputs(), [[1000, 3000]])


def test_properties_of_the_context_are_keys_in_capitals(plain: Path, tmp_path: Path) -> None:
    context = Context()
    entries = {"CACHE_DIR": str(tmp_path / "cache"), "INFERENCE_NUM_THREADS": "2", "STATE_BUFFERS": "SHARED"}
    outcomes = []
    for _ in range(2):
        model = Model()
        model.build_from_file(plain, context=context, config_dict={"lite_delegate": entries})
        outcomes.append(model.cache_outcome.status)
        settings = model.compiled.settings
        assert (settings.threads, settings.shared_state_buffers) == (2, True)
    assert outcomes == [CacheStatus.MISS, CacheStatus.HIT]
    assert (context.values.given, context.cpu.values.given) == ({}, {})
    with pytest.raises(PropertyError, match="INFERENCE_NUM_THREADS"):
        Model().build_from_file(plain, config_dict={"lite_delegate": {"INFERENCE_NUM_THREADS": "many"}})


def test_the_log_level_is_the_npu_s_too(plain: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = Model()
    model.build_from_file(plain, config_dict={"lite_delegate": {"target": "npu,cpu", "LOG_LEVEL": "LOG_INFO"}})
    assert "1 kernel, 1 program" in capfd.readouterr().err


def test_other_sections_are_named_in_a_warning(plain: Path) -> None:
    with pytest.warns(DelegateWarning, match=r"\[common\] have no effect in this runtime, only \[lite_delegate\] has"):
        Model().build_from_file(plain, config_dict={"common": {"x": "y"}, "lite_delegate": {"strict": "no"}})


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"memory_limt": "1"}, "has no key 'memory_limt'. Did you mean 'memory_limit'"),
        ({"memory_limit": "much"}, "memory_limit: got 'much'"),
        ({"memory_limit": "0"}, "must be at least 1"),
        ({"strict": "perhaps"}, "strict: got 'perhaps': expected yes or no"),
        ({"optimize": "best"}, "'none', 'general'"),
    ],
)
def test_what_does_not_fit_is_said(plain: Path, entries: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Model().build_from_file(plain, config_dict={"lite_delegate": entries})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("strict=no\n", "expected \\[section\\] and key=value lines"),
        ("[a]\nb\n", "expected"),
        ("[a]\n[a]\n", "expected"),
    ],
)
def test_a_file_that_is_none_is_one_line(plain: Path, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "config.ini"
    path.write_text(content)
    with pytest.raises(LiteDelegateError, match=said) as caught:
        Model().build_from_file(plain, config_path=str(path))
    assert "\n" not in str(caught.value)
