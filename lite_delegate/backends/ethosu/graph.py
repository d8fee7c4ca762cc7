"""The graph kernel of a run that Vela compiled."""

from __future__ import annotations

from ...delegate import DeviceEstimate, LayerEstimate
from ...errors import KernelsNotTaken
from ..litert.graph import LiteRTGraph, SharedFile
from ..litert.package import REFERENCE, InterpreterSettings
from ..tflite_file.tflite_run import TfliteRunFile
from .accelerators import PREFIX
from .compiling import compiled
from .output import VelaLayer, VelaOutput
from .vela import VelaSettings

MICROSECONDS = 1e6


class CompiledRun(SharedFile):
    """A run that Vela compiles; the host computes it with TensorFlow Lite's reference kernels.

    Args:
        run: the run as a file.
        settings: Vela's options.
        output: Vela's output where the run was compiled before; None: Vela compiles it when it is loaded.
    """

    def __init__(self, run: TfliteRunFile, settings: VelaSettings, output: VelaOutput | None = None) -> None:
        super().__init__(run, InterpreterSettings(REFERENCE), PREFIX + settings.accelerator)
        self.vela, self.output = settings, output

    def load(self) -> None:
        """Compiles the run, and makes the first interpreter.

        Raises:
            DelegateBuildError: Vela cannot compile the file, or LiteRT cannot run it.
            KernelsNotTaken: Vela leaves operators to the processor.
        """
        if self.output is None:
            output = compiled(self.run.content, self.vela)
            left = left_kernels(self.run, output)
            if left:
                raise KernelsNotTaken(f"Vela leaves kernels to the processor: {', '.join(left)}", left)
            self.output = output
        super().load()
        self.places = {"": self.name}


def left_kernels(run: TfliteRunFile, output: VelaOutput) -> dict[str, str]:
    """Vela's reasons for the kernels that it leaves to the processor, by the kernels' names."""
    left = {run.maker_of(_plain(result)) or result: reason for result, reason in output.reasons.items()}
    for layer in output.layers:
        kernel = run.maker_of(_plain(layer.result))
        if not layer.is_on_npu and kernel:
            left.setdefault(kernel, f"{layer.operator}: Vela leaves it to the processor")
    return left


def _plain(result: str) -> str:
    """The name of a result without the suffix that Vela gives to results before a fused activation."""
    return result.removesuffix("_act")


class EthosUGraph(LiteRTGraph):
    """One run that an Ethos-U would execute."""

    runtime = "TensorFlow Lite's reference kernels"
    kind = "EthosU"

    @property
    def compiled_run(self) -> CompiledRun:
        """The run with Vela's output."""
        assert isinstance(self.shared, CompiledRun)
        return self.shared

    @property
    def counts_performance(self) -> bool:
        """True: profiles have Vela's estimates of the layers."""
        return True

    def estimate(self) -> DeviceEstimate | None:
        """Vela's estimates for one inference, layer by layer; None before the run is compiled."""
        run = self.compiled_run
        output = run.output
        if output is None or output.summary is None:
            return None
        summary = output.summary
        us_per_cycle = MICROSECONDS / summary.clock_hz if summary.clock_hz else 0.0
        layers = tuple(_layer(layer, run.run, us_per_cycle) for layer in output.layers)
        nbytes = sum(layer.nbytes for layer in output.layers)
        return DeviceEstimate(summary.seconds * MICROSECONDS, summary.cycles, nbytes, layers)


def _layer(layer: VelaLayer, run: TfliteRunFile, us_per_cycle: float) -> LayerEstimate:
    kernel = run.maker_of(_plain(layer.result))
    return LayerEstimate(
        layer.result,
        layer.instruction,
        (kernel,) if kernel else (),
        layer.cycles * us_per_cycle,
        layer.cycles,
        layer.nbytes,
        was_run=bool(layer.cycles),
        estimated_macs=layer.macs,
        memory_bytes=layer.memory,
    )
