import pytest

from lite_delegate.errors import InputError
from lite_delegate.npu.profiles.driver_version import at_least, version_fields


@pytest.mark.parametrize(
    ("version", "needed", "enough"),
    [
        ("100.320.012.043", "100.320.012.043", True),
        ("100.320.012.042", "100.320.012.043", False),
        ("100.320.012.044", "100.320.012.043", True),
        ("100.330", "100.320.012.043", True),
        ("100.320", "100.320.0.0", True),
        ("100.320", "100.320.0.1", False),
        ("99.999.999.999", "100", False),
        ("100.9", "100.10", False),
        ("100.010", "100.10", True),
        ("0", "0.0", True),
        ("", "100.320.012.043", True),
        ("1", "", True),
        ("", "", True),
    ],
)
def test_fields_are_compared_as_numbers(version, needed, enough):
    assert at_least(version, needed) is enough


def test_a_missing_field_is_zero():
    assert version_fields("1.02.0.0") == (1, 2) == version_fields("1.2")


@pytest.mark.parametrize("version", ["", "1..2", "1.a", "-1", "1.2 ", "1.٣"])
def test_other_text_is_rejected(version):
    with pytest.raises(InputError, match="numbers between dots"):
        version_fields(version)
