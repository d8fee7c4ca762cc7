"""Profiles from users' files: any bytes give a profile or one line of InputError."""

import os
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.errors import InputError, LiteDelegateError
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.profiles.load import MAX_BYTES, is_path

GOOD = 'description = "mine"\noperators = ["Softmax"]\n'


@pytest.fixture
def write(tmp_path):
    def _write(content, name="my_chip.toml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return _write


def rejected(path) -> str:
    with pytest.raises(InputError) as caught:
        load_profile(path)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 1500
    return text


def test_a_file_is_a_profile_named_after_it(write):
    delegate = NPUDelegate(write(GOOD))
    assert delegate.profile.name == "my_chip"
    assert delegate.profile.operators == frozenset({"Softmax"})


def test_a_path_is_what_ends_with_toml_or_has_a_separator():
    assert is_path("my_chip.toml")
    assert is_path("chips/mine")
    assert not is_path("generic")
    assert not is_path("none")


def test_a_file_may_change_a_packaged_profile(write):
    base = load_profile("generic")
    mine = load_profile(write('base = "generic"\ndescription = "mine"\n[limits]\nmatmul_max_dim = 77\n'))
    assert mine.description == "mine"
    assert mine.limits.matmul_max_dim == 77
    assert mine.limits.avg_pool_max_input_area == base.limits.avg_pool_max_input_area
    assert (mine.compute, mine.memory, mine.operators) == (base.compute, base.memory, base.operators)


def test_a_file_may_change_a_limit_of_one_operator_of_a_packaged_profile(write):
    base = load_profile("kirin")
    mine = load_profile(write('base = "kirin"\n[limits.Gather]\nmax_dim = 9\n[limits.Cast]\ndtypes = "none"\n'))
    gather, cast = mine.bounds_of("Gather"), mine.bounds_of("Cast")
    assert (gather.max_dim, gather.second_dtypes, gather.dtypes) == (9, ("INT32",), ("FLOAT32", "FLOAT16"))
    assert cast.dtypes is None
    assert mine.bounds_of("Sin") == base.bounds_of("Sin")
    assert mine.limits == base.limits


@pytest.mark.parametrize("error", [LiteDelegateError, ValueError])
def test_an_unknown_name_lists_those_that_exist(error):
    with pytest.raises(
        error, match=r"No NPU profile 'tpu'\. Profiles: generic, hddl, kirin, myriad_x, npu3720, npu4000, or"
    ):
        NPUDelegate("tpu")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "lacks description, operators"),
        (b"\xff\xfe", "is not TOML"),
        (b"a = ", "is not TOML"),
        (b"a = 1\na = 2", "is not TOML"),
        (b"x = " + b"[" * 30_000, "is not TOML"),
        (b"x = " + b"9" * 10_000, "is not TOML"),
        (b"x" * 60_000, "is not TOML"),
        (GOOD.encode() + b"#" * MAX_BYTES, f"may have {MAX_BYTES:,} bytes at most, has more"),
        (GOOD.encode() + b"max_rank = 99", "'max_rank' must be an integer from 1 to 8, got 99"),
        (GOOD.encode() + b"x = 1979-05-27", "unknown key 'x'"),
        (GOOD.encode() + b"max_rank = 1979-05-27", "'max_rank' must be an integer"),
        (
            GOOD.encode() + b'base = "tpu"',
            "'base' must be the name of a packaged profile, got 'tpu'. Profiles: generic",
        ),
        (GOOD.encode() + b"base = 4", "'base' must be the name of a packaged profile, got 4"),
        (GOOD.encode() + b'base = "./x.toml"', "'base' must be the name of a packaged profile"),
        (b'base = "generic"\nlimits = 4', "'limits' must be a table, got 4"),
    ],
)
def test_what_is_no_profile_is_rejected_in_one_line(write, content, message):
    path = write(content)
    text = rejected(path)
    assert text.startswith("NPU profile file '")
    assert "my_chip.toml" in text
    assert message in text


def test_the_largest_file_is_read(write):
    assert load_profile(write(GOOD.encode() + b"#" * (MAX_BYTES - len(GOOD)))).operators == frozenset({"Softmax"})


def test_paths_that_are_no_files(tmp_path, write):
    assert "No such file" in rejected(str(tmp_path / "absent.toml"))
    assert "is not a file" in rejected(str(tmp_path) + "/")
    assert "cannot be read" in rejected("a\0b.toml")
    assert "cannot be read" in rejected("x" * 5000 + ".toml")
    assert "cannot be read" in rejected("\ud800.toml")
    pipe = str(tmp_path / "pipe.toml")
    os.mkfifo(pipe)
    assert "is not a file" in rejected(pipe)
    assert "is not a file" in rejected("/dev/zero")
    assert r"a\nb.toml" in rejected("a\nb.toml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(write):
    path = write(GOOD)
    os.chmod(path, 0)
    assert "Permission denied" in rejected(path)


VALUES = ["1", "-1", "1e400", "nan", "true", '"x"', '"none"', "[]", "[1]", "{}", "{a=1}", "12:00:00"]
KEYS = ["description", "operators", "base", "limits", "compute.tiles", "memory.x", "defaults.frequency"]
LINES = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=5)


@given(st.one_of(st.binary(max_size=60), LINES))
def test_any_content_is_a_profile_or_an_input_error(tmp_path_factory, content):
    data = content if isinstance(content, bytes) else "\n".join(f"{k} = {v}" for k, v in content).encode()
    path = tmp_path_factory.mktemp("profiles") / "any.toml"
    path.write_bytes(data)
    with suppress(InputError):
        load_profile(str(path))
