"""ProviderTrials: a provider's answers for kernels, found by compiling them side by side, and kept by signature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....basics.answering_process import AnsweringProcess, HelperEnded, NoProcess
from ....delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ....errors import DelegateUnavailable
from ...by_shapes import ByShapes
from ...rewriting import Rewrite
from ..sessions.session import SessionSettings, release
from .answers import KeptAnswers, TrialAnswer
from .trial_model import LAYER, signed, trial_model
from .trial_process import ReadReasons, TrialResult, serve_trials

MOST_BYTES = 256 << 20
"""Bytes of a model with more than one kernel."""
TAKEN = TrialAnswer("")


class ProviderTrials:
    """The answers of one provider with one set of settings.

    Args:
        settings: the settings of sessions.
        forms: the rewrites that the provider needs.
        seconds: the time for one trial.
        folder: where answers are kept between processes; "": they are kept in memory.
        read_reasons: reads the provider's reasons in ONNX Runtime's verbose log; None where it logs none.
        version: the version of the provider's toolchain.
    """

    def __init__(
        self,
        settings: SessionSettings,
        forms: Sequence[Rewrite],
        seconds: float,
        folder: str,
        read_reasons: ReadReasons | None,
        version: str,
    ) -> None:
        self._provider, self._forms, self._seconds = settings.provider, forms, seconds
        self._kept = KeptAnswers(Path(folder) if folder else None, f"{release()}, {version}, {settings}")
        self._signatures = ByShapes[str]()
        self._process = AnsweringProcess(serve_trials, settings, read_reasons)

    @property
    def started(self) -> int:
        """The number of processes that were started."""
        return self._process.started

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Finds the answers for kernels together, where they are not known yet.

        Raises:
            DelegateUnavailable: no process can be started for trials, or the provider is not there.
        """
        unknown: dict[str, Kernel] = {}
        for kernel in kernels:
            signature = signed(kernel, self._forms)
            self._signatures.put(kernel, signature)
            if self._kept.get(signature) is None:
                unknown.setdefault(signature, kernel)
        self._find(list(unknown.items()))
        self._kept.write()

    def answer(self, kernel: Kernel) -> SupportResult:
        """The provider's answer for a kernel.

        Raises:
            DelegateUnavailable: no process can be started for trials, or the provider is not there.
        """
        found = self._known(kernel)
        if found is None:
            self.survey([kernel])
            found = self._known(kernel)
            assert found is not None
        if not found.reason:
            return Supported()
        return Rejected(RejectCode.OPERATOR, found.reason, found.rule)

    def _known(self, kernel: Kernel) -> TrialAnswer | None:
        """The kept answer for a kernel that was surveyed with its present shapes."""
        signature = self._signatures.get(kernel)
        return None if signature is None else self._kept.get(signature)

    def close(self) -> None:
        """Ends the process; it is started again where another trial needs it."""
        self._process.close()

    def _find(self, kernels: Sequence[tuple[str, Kernel]]) -> None:
        """Tries kernels together, and by halves where that fails."""
        if not kernels:
            return
        model = trial_model([kernel for _, kernel in kernels], self._forms)
        if len(kernels) > 1 and model.nbytes > MOST_BYTES:
            return self._find_by_halves(kernels)
        try:
            tried = self._process.ask(model, self._seconds)
        except NoProcess as e:
            raise DelegateUnavailable(f"No process can be started to try kernels on '{self._provider}': {e}") from e
        except HelperEnded as e:
            tried = TrialResult({}, {}, error=f"the process that tried it {e}")
        if tried.absence:
            raise DelegateUnavailable(tried.absence)
        if tried.error and len(kernels) > 1:
            return self._find_by_halves(kernels)
        for number, (signature, _) in enumerate(kernels):
            self._kept.put(signature, self._answer_of(LAYER.format(number), tried))

    def _find_by_halves(self, kernels: Sequence[tuple[str, Kernel]]) -> None:
        middle = len(kernels) // 2
        self._find(kernels[:middle])
        self._find(kernels[middle:])

    def _answer_of(self, layer: str, tried: TrialResult) -> TrialAnswer:
        why = tried.reasons.get(layer, "")
        if tried.error:
            reason = f"{self._provider} fails to compile it: {tried.error}" + (f" ({why})" if why else "")
            return TrialAnswer(reason, f"{self._provider} must compile it")
        left = tried.left.get(layer)
        if not left:
            return TAKEN
        operators = ", ".join(dict.fromkeys(left))
        reason = f"{self._provider} does not take it: ONNX Runtime would run {operators} on its CPUExecutionProvider"
        return TrialAnswer(f"{reason}: {why}" if why else reason, f"{self._provider} must take {operators}")
