"""The record of one operator's traits: facts that several rooms read, and that hold for each of its nodes."""

from __future__ import annotations

from enum import Enum, auto

from ...basics.data_class import dataclass


class ElementPattern(Enum):
    """From which elements of its inputs an operator computes an element of its results.

    Elementwise operators commute with transposes: inputs in another order of axes give the same results in that order.
    """

    UNARY = auto()
    """From the element at the same place of the first input; further inputs are single numbers. Elementwise."""
    BROADCAST = auto()
    """From the elements at the same place of two inputs, the smaller of which is stretched. Elementwise."""
    CHOICE = auto()
    """The same of three inputs. A node with fewer is another operator. Elementwise with three inputs."""
    ALIKE = auto()
    """From the elements at the same place of any number of inputs of one shape. Elementwise."""
    CHANNELS = auto()
    """From the element at the same place of the first input; the others have a number for each place of its last axis.

    Commutes with transposes that leave the last axis where it is.
    """
    VIEW = auto()
    """The same elements in the same row-major order, in another shape."""
    TRANSPOSE = auto()
    """The same elements in another order of axes."""
    PLACES = auto()
    """Elements of the inputs, or a constant, at places that follow from shapes, attributes and further inputs."""
    SHAPE = auto()
    """The sizes of the input's axes, their number, or their product, whatever the elements are."""
    OTHER = auto()
    """From more elements than one: sums, products, windows, orders, and operators that draw or count."""


ELEMENTWISE = (ElementPattern.UNARY, ElementPattern.BROADCAST, ElementPattern.CHOICE, ElementPattern.ALIKE)
"""Patterns that commute with every transpose."""
MOVING = (ElementPattern.VIEW, ElementPattern.TRANSPOSE, ElementPattern.PLACES)
"""Patterns that compute nothing."""
OPERANDS = {ElementPattern.BROADCAST: 2, ElementPattern.CHOICE: 3}
"""The number of inputs that a pattern has."""


class Effect(Enum):
    """The effects of an operator besides its results."""

    NONE = auto()
    ACTS = auto()
    """The operator stays even if nobody reads its results."""
    ASSIGNS = auto()
    """The operator acts: it changes its first input."""
    RANDOM = auto()
    """The operator may give other results each time."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts about one operator.

    Attributes:
        pattern: the elements of the inputs that an element of the result depends on.
        exact: whether it compares, counts, picks elements, or applies one operation that IEEE 754 defines, so that
            kernels agree bit for bit. A fused function and quantization come on top.
        along_axis: whether the attribute ``axis`` names axes whose elements are computed together, for all places of
            the other axes alike. The operator commutes with transposes when the axes are named anew.
        functions: additions that take as long on the host as one element of the result, rounded, as
            ``tools.function_costs`` measured them on float32 in one thread; 1 for operators that were not measured.
        weight_axis: the axis of the output's channels in the weight, input 1, by which the input is multiplied; None
            for operators without one. MatMulFusion with ``transpose_b`` has it at -2.
        effect: its effect besides its results.
    """

    pattern: ElementPattern
    exact: bool = False
    along_axis: bool = False
    functions: float = 1.0
    weight_axis: int | None = None
    effect: Effect = Effect.NONE

    def is_elementwise(self, inputs: int) -> bool:
        """Whether a node with this number of inputs computes each element by itself."""
        return self.pattern in ELEMENTWISE and OPERANDS.get(self.pattern, inputs) == inputs

    @property
    def moves(self) -> bool:
        """Whether its results hold nothing but elements of its inputs and constants, whatever the elements are."""
        return self.pattern in MOVING

    @property
    def is_exact(self) -> bool:
        """Whether kernels of it agree bit for bit."""
        return self.exact or self.moves or self.pattern is ElementPattern.SHAPE

    @property
    def has_effect(self) -> bool:
        """Whether nodes stay whoever reads their results."""
        return self.effect in (Effect.ACTS, Effect.ASSIGNS)
