"""PlacePermutes: moves permutes across steps that allow it until only unavoidable ones are left."""

from __future__ import annotations

from typing import ClassVar

from ...device.instructions.movement import Permute
from ...ir.module import Module
from ..boundary import PackAtBoundary
from ..canonicalize import Canonicalize
from ..common_subexpressions import CommonSubexpressions
from ..module_pass import ModulePass
from .network import network_of
from .rebuild import rebuilt
from .search import best_labels, total_cost


class PlacePermutes(ModulePass):
    """Chooses for each step the order of axes in which it runs so that permutes move the fewest bytes.

    A step may run in another order as far as ``Instruction.reordered`` allows; a step without a rule stays as it is,
    and no permute crosses it. The rules that follow:

    1. A permute and its inverse around steps that may run in either order go away, and so do permutes on all arms
       of a diamond, in front of all operands of an addition or a concatenation, and behind their result.
    2. A permute in front of one operand alone moves behind the step when the other operands are constants (which
       are made permuted), have at most one dimension longer than 1 (a view serves them), are inputs (which cross
       permuted), or cost less to permute than is saved.
    3. Axes that an instruction names (of a concatenation, reduction, softmax, ...) are rewritten.
    4. A permute crosses a view whose groups of axes it keeps together, such as one that adds or drops ones.
    5. A permute in front of a view that merges several axes, which matrix products with constants then sum over,
       goes into the rows of the constants.
    6. An input crosses in the order in which it is read; in the first order where it is read in several orders.
    7. An output crosses in the order in which it is made, or in the model's own order where the value has it as well.
    8. A value that is read in several orders is permuted once for each order.

    Results are exact where no addition rounds. Otherwise case 5 changes the order of the additions in float32, and so
    does case 3 for steps that add along axes (sums, means, softmax): before and after, a result is within the bound
    for any order of additions (case 5: ``error_bounds.matmul_error``) of the exact result.

    The cost is the number of moved bytes, so that of two places for a permute the place with fewer or narrower
    elements wins. The result never moves more bytes than the given module.
    """

    name = "place-permutes"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (Canonicalize, CommonSubexpressions, PackAtBoundary)

    def rewrite(self, module: Module) -> Module:
        while (better := _improved(module)) is not module:
            module = better
        return module


def _improved(module: Module) -> Module:
    network = network_of(module)
    labels = best_labels(network)
    if total_cost(network, labels) >= permuted_bytes(module):
        return module
    return Canonicalize().rewrite(rebuilt(network, labels))


def permuted_bytes(module: Module) -> int:
    """The bytes that permutes move."""
    return sum(module.buffers[s.output].nbytes for s in module.steps if isinstance(s.instruction, Permute))
