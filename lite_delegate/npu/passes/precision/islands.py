"""PrecisionIslands: float32 for the intermediate results of a float16 program that lose too many digits."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar

from ...device.instructions.cast import ConvertElements
from ...device.instructions.lookup import Lookup
from ...device.programs.program import Buffer, ElementType, ProgramStep
from ...ir.editing import Edit, UniqueNames, without_dead
from ...ir.module import MakeConstant, Module, ModulePort
from ..fusion import FoldAffine, FuseActivations, FusePools
from ..layouts import PlacePermutes
from ..module_pass import ModulePass
from .sensitive import sensitive_buffers


class PrecisionIslands(ModulePass):
    """Keeps intermediate results in float32 where float16 would lose the digits that the model needs.

    1. Statistics: results of reductions that add up (sum, mean, sum of squares, variance, ...), and results that
       element-wise steps compute of these and of constants alone, as long as they are not larger: sums scaled to means,
       differences of means, epsilons, roots, reciprocals. Only where element-wise steps read them.
    2. Terms: squares, powers, squared differences and exponentials that such a reduction adds up.
    3. Shifted products: ``x * m + s`` with m and s of case 1, of any size: the product and s.
    4. Small addends: ``x + c`` and ``max(x, c)`` with ``0 < c < 2**-14`` where a division, a root, a power or a
       logarithm reads it: float16 has few digits of such a c, or none.

    The steps compute as before: in float32, with one rounding to the type of their result. Constants that they read
    are float32. Inputs and outputs of the module cross as before. Where a step that cannot take float32 reads such a
    result (a product's neighbors can, a concatenation with float16 numbers cannot), ``ConvertElements`` rounds it.

    Sources: compilers of float16 models keep cases 1 and 2 in float32 around normalization and softmax.
    OpenVINO does so for "Exp before ReduceSum", for MVN-like patterns and for divisions by numbers close to zero.
    """

    name = "precision-islands"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (PlacePermutes, FoldAffine, FuseActivations, FusePools)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        wide = frozenset(i for i in sensitive_buffers(edit) if module.buffers[i].element is ElementType.FLOAT16)
        return without_dead(_Widening(module, wide).finish()) if wide else module


class _Widening:
    """A module whose ``wide`` buffers become float32."""

    def __init__(self, module: Module, wide: Collection[int]) -> None:
        self._module, self._wide = module, wide
        self._buffers = list(module.buffers)
        self._constants: dict[int, MakeConstant] = dict(module.constants)
        self._names = UniqueNames(step.name for step in module.steps)
        self._exact: dict[int, int] = {}
        self._rounded: dict[int, int] = {}
        self._steps: list[ProgramStep] = []

    def finish(self) -> Module:
        """The module with all of them changed."""
        for index in self._wide:
            self._buffers[index] = replace(self._buffers[index], element=ElementType.FLOAT32)
        for step in self._module.steps:
            self._steps.append(self._changed(step))
        outputs = tuple(self._crossing(port) for port in self._module.outputs)
        return replace(
            self._module,
            buffers=tuple(self._buffers),
            steps=tuple(self._steps),
            constants=self._constants,
            outputs=outputs,
        )

    def _changed(self, step: ProgramStep) -> ProgramStep:
        """The step on operands of the types that it takes."""
        if step.output in self._wide:
            instruction = step.instruction
            if isinstance(instruction, Lookup) and step.operands[0] not in self._wide:
                instruction = replace(instruction, widens=True)
            return replace(step, instruction=instruction, operands=tuple(map(self._exactly, step.operands)))
        if step.instruction.rounds and (isinstance(step.instruction, Lookup) or not step.instruction.reads_format):
            return step
        return replace(step, operands=tuple(map(self._as_before, step.operands)))

    def _exactly(self, index: int) -> int:
        """A constant as float32; any other buffer as it is."""
        buffer = self._buffers[index]
        if index not in self._constants or buffer.element is not ElementType.FLOAT16:
            return index
        if index not in self._exact:
            self._exact[index] = self._buffer(buffer, ElementType.FLOAT32)
            self._constants[self._exact[index]] = self._constants[index]
        return self._exact[index]

    def _as_before(self, index: int) -> int:
        """A buffer in the type that it had before."""
        if index not in self._wide:
            return index
        if index not in self._rounded:
            self._rounded[index] = self._buffer(self._buffers[index], ElementType.FLOAT16)
            maker = next(step for step in self._steps if step.output == index)
            name = self._names.unique(f"{maker.layers[0] if maker.layers else maker.name}/ConvertElements")
            convert = ConvertElements(ElementType.FLOAT16)
            self._steps.append(ProgramStep(convert, (index,), self._rounded[index], name, maker.layers))
        return self._rounded[index]

    def _crossing(self, port: ModulePort) -> ModulePort:
        return replace(port, buffer=self._as_before(port.buffer))

    def _buffer(self, like: Buffer, element: ElementType) -> int:
        self._buffers.append(replace(like, element=element))
        return len(self._buffers) - 1
