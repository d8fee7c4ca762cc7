import pytest

from lite_delegate.errors import DelegateBuildError
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.passes import check_order, passes_for
from lite_delegate.npu.passes.canonicalize import Canonicalize
from lite_delegate.npu.passes.layouts import PlacePermutes
from lite_delegate.npu.profiles import load_profile

BASE = ["dead-code", "canonicalize", "boundary"]
LAYOUTS = ["common-subexpressions", "place-permutes"]
STAGES = ["fuse-activations", "fuse-pools"]
ISLANDS = "precision-islands"


@pytest.mark.parametrize(
    ("level", "hw_stages", "names"),
    [
        (0, True, BASE),
        (0, False, BASE),
        (1, True, [*BASE, *LAYOUTS, "fold-affine", *STAGES]),
        (1, False, [*BASE, *LAYOUTS, "fold-affine"]),
        (2, True, [*BASE, *LAYOUTS, "matmul-transposes", "fold-affine", *STAGES]),
        (2, False, [*BASE, *LAYOUTS, "matmul-transposes", "fold-affine"]),
    ],
)
def test_passes_by_level_in_a_valid_order(level, hw_stages, names):
    passes = passes_for(Target(load_profile("generic"), optimization_level=level, hw_stages=hw_stages))
    assert [each.name for each in passes] == [*names, ISLANDS]
    check_order(passes)
    without = passes_for(Target(load_profile("generic"), optimization_level=level, hw_stages=hw_stages, islands=False))
    assert [each.name for each in without] == names


def test_the_order_is_checked():
    with pytest.raises(DelegateBuildError, match="'place-permutes' must run after pass 'canonicalize'"):
        check_order([PlacePermutes(), Canonicalize()])
