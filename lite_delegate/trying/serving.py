"""The helper process: builds graphs for delegates, and runs them, as they come. It may crash at any time."""

from __future__ import annotations

import os
import pickle
import signal
import warnings
from collections.abc import Mapping
from multiprocessing.connection import Connection

import numpy as np

from ..basics.data_class import dataclass
from ..basics.failures import said
from ..delegate import Delegate, RejectCode
from ..errors import DelegateError, UnsupportedOperatorError
from ..inference.compiling.compilation import compile_graph
from ..inference.model.compiled_model import CompiledModel
from ..ir import Graph
from ..partition import PartitionOptions
from ..runtime.binding.host import CustomOperator
from ..runtime.execution.random_inputs import not_random, random_array
from ..runtime.settings import Settings, Tried

_BUILT = (None, RejectCode.COMPILE_FAILED, RejectCode.POLICY)
"""Codes of nodes that a build has made, failed on, or left out."""


@dataclass(frozen=True, slots=True, eq=False)
class GraphTask:
    """A graph to try.

    Attributes:
        delegate: a pickled delegate, or a pickled function that makes one.
        graph: of one run.
        customs: the user's kernels of the graph's Custom nodes, by type.
        executes: whether it is run, too.
    """

    delegate: bytes
    graph: Graph
    customs: Mapping[str, CustomOperator]
    executes: bool


def serve(connection: Connection) -> None:
    """Says that it is ready, and answers each task with a ``Tried`` until the connection is closed."""
    _be_quiet()
    made: dict[bytes, Delegate] = {}
    connection.send(Tried())
    while True:
        try:
            data: bytes = connection.recv()
        except EOFError:
            return
        connection.send(_answer(data, made))


def _be_quiet() -> None:
    """The parent prints and warns when it builds the same; it is the parent that ends this process; no core files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    try:
        import resource
    except ImportError:  # there is none outside of Unix
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(data: bytes, made: dict[bytes, Delegate]) -> Tried:
    try:
        try:
            task: GraphTask = pickle.loads(data)
            delegate = made.setdefault(task.delegate, _delegate(task.delegate))
        except Exception as e:
            return Tried(untried=f"the delegate cannot be made in another process: {said(e)}")
        return _tried(task, delegate)
    except BaseException as e:
        return Tried(ended=f"was to end with {said(e)}")


def _delegate(data: bytes) -> Delegate:
    found = pickle.loads(data)
    made = found if isinstance(found, Delegate) else found()
    if not isinstance(made, Delegate):
        raise DelegateError(f"a delegate was expected, found {type(made).__name__}.")
    return made


def _tried(task: GraphTask, delegate: Delegate) -> Tried:
    """An error is an answer: the parent sees the same one, and repairs what can be repaired."""
    settings = Settings(
        delegates=(delegate,),
        plan_only=not task.executes,
        partition=PartitionOptions(repair_tries=0),
        customs=task.customs,
        rewrites=False,
        folds=False,
    )
    try:
        compiled = compile_graph(task.graph, settings)
        try:
            if not compiled.graph_kernels:
                return _nothing_made(compiled)
            return _executed(compiled) if task.executes else Tried()
        finally:
            compiled.close()
    except (DelegateError, UnsupportedOperatorError):  # it failed to run, or to be built where the CPU has no kernel
        return Tried()
    except Exception as e:
        return Tried(untried=f"a subgraph is no model by itself: {said(e)}")


def _nothing_made(compiled: CompiledModel) -> Tried:
    """Building failed, or left all of it out, which is an answer; what ``supports`` rejects was not built."""
    node = next((n for n in compiled.partition.nodes if n.code not in _BUILT), None)
    return Tried() if node is None else Tried(untried=f"by itself it rejects '{node.name}': {node.reason}")


def _executed(compiled: CompiledModel) -> Tried:
    inputs = compiled.plan.inputs
    if any(map(not_random, inputs)):
        return Tried(untried="a subgraph has inputs that cannot be random")
    rng = np.random.default_rng(0)
    compiled([random_array(tensor, rng) for tensor in inputs])
    return Tried()
