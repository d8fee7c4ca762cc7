"""A delegate of somebody else that offers contexts, by the public interface alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite_delegate import Core, Delegate, DelegateModel, Kernel, Supported, SupportResult
from lite_delegate.remote import RemoteContext, RemoteMemory, on_device
from lite_delegate.tensors.tensor import Tensor
from tests.runtime.graphs import chain

SHAPE = [2, 3]


class Board(RemoteMemory):
    """A board with 64 KiB, which counts what crosses.

    Attributes:
        crossed: bytes that graph kernels moved.
        brought: bytes that copies moved.
    """

    def __init__(self) -> None:
        super().__init__(self)
        self.taken: dict[object, int] = {}
        self.crossed = self.brought = 0

    def take(self, nbytes: int) -> object:
        ticket = object()
        self.taken[ticket] = nbytes
        return ticket

    def give_back(self, taken: object) -> None:
        self.taken.pop(taken, None)

    def holds(self, taken: object) -> bool:
        return taken in self.taken

    def bring(self, nbytes: int, *, to_device: bool) -> None:
        self.brought += nbytes


class Program(Kernel):
    """Runs its nodes on the board."""

    gives_new_arrays = True

    def __init__(self, name: str, run: Sequence[Kernel], inputs: Sequence[Tensor], outputs: Sequence[Tensor], board):
        super().__init__(name, "Program", inputs, outputs)
        self.run, self.board = run, board

    @property
    def memory_owner(self) -> object:
        return self.board

    def execute(self) -> None:
        found, x = on_device(), self.inputs[0].data
        if found is None or not found.has(self.board, x):
            self.board.crossed += x.nbytes
        if found is None or not found.keeps(self.board, self.name, 0):
            self.board.crossed += x.nbytes
        self.outputs[0].data = np.maximum(x, 0)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Program(self.name, self.run, inputs, outputs, self.board)


class Acme(Delegate):
    name = "ACME"
    board = Board()

    def supports(self, kernel: Kernel) -> SupportResult:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return Program("p", run, boundary.inputs, boundary.outputs, self.board)

    def remote_context(self) -> RemoteContext:
        return RemoteContext(self.name, self.board, {"RACK": 3})


def test_a_third_party_offers_contexts() -> None:
    core, board = Core(), Acme.board
    core.register_device("ACME", Acme)
    model, context = core.compile_model(chain(2), "ACME"), core.default_context("ACME")
    assert (context.device_name, context.get_params()) == ("ACME", {"RACK": 3})
    x = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
    remote, out = context.create_tensor(np.float32, SHAPE, x), context.create_tensor(np.float32, SHAPE)
    assert (board.brought, sum(board.taken.values())) == (24, 48)
    request = model.create_infer_request()
    request.set_input_tensor(0, remote)
    request.infer()
    assert board.crossed == 24  # the output only
    request.set_output_tensor(0, out)
    request.infer()
    assert board.crossed == 24
    found = np.empty(SHAPE, np.float32)
    out.copy_to(found)
    assert found.tolist() == [[0, 2, 0], [4, 0, 6]]
