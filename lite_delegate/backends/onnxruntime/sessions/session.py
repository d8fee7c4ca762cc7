"""Sessions of ONNX Runtime for models whose constants are shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ....basics.data_class import dataclass
from ....errors import DelegateBuildError, DelegateUnavailable
from ....tensors.tensor import Array
from ..plugins.hardware import chosen
from ..plugins.registration import absence, provider_devices, register
from ..plugins.standard_output import away_from_standard_output
from .exactness import has_exact_products, has_integers
from .in_files import FOLDER, are_current, folder_of, in_folder

PACKAGE = "onnxruntime"
EXTRA = "pip install 'lite-delegate[onnxruntime]'"
MIXED = {"session.intra_op.allow_spinning": "0"}
"""Configuration of sessions that share a model with other kernels."""
THREAD_AFFINITIES = "session.intra_op_thread_affinities"
"""The entry of a session that says where its threads run: one place for each thread but the first."""
RECORDED = {"session.record_ep_graph_assignment_info": "1"}
NOTHING_ON_CPU = {"session.disable_cpu_ep_fallback": "1"}
ERRORS_ONLY = 3
"""ONNX Runtime's log level: 0 logs all messages, 4 only errors that end the process."""

EXACT_INT8 = {"session.x64quantprecision": "1"}
"""Weights of int8 become uint8 then, for processors that multiply uint8 by int8 in 16 bits, which overflow. So they do
on others, if that is asked for there, and take twice the time."""
DISABLED = ("QDQPropagationTransformer", "WeightBiasQuantization", "DoubleQDQPairsRemover")
"""What moves quantization past other operators; it fails where ONNX Runtime makes uint8 of int8 afterwards. What makes
integers of real weights between integers, with one scale for all channels: results were many steps off. And what makes
one rounding of two to different steps: four of ten integers became others.
"""
SLOWER = {"CPUExecutionProvider": ("SkipLayerNormFusion",)}
"""By provider, rewrites of ONNX Runtime after which it was measured to be slower: its SkipLayerNormalization takes
longer on the CPU than Add and LayerNormalization."""

TAKEN_BACK = {"QNNExecutionProvider": ("Pad_Fusion",)}
"""By provider, rewrites of ONNX Runtime that take back a form which the provider needs (``emitting.padded_pools``)."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings that sessions are made with.

    Attributes:
        provider: the execution provider; kernels that it does not take are not delegated (``assigned``).
        provider_options: options of the provider, by ONNX Runtime's names.
        config: session configuration entries, by ONNX Runtime's names.
        threads: the number of threads of one run; 0 leaves it to ONNX Runtime.
        counts_layers: whether the times of layers are measured, in sessions of their own.
        profile: the prefix of the files into which a session measures itself; "" for a session that does not.
        plugin: the library of the provider's plugin, or the package that has it; "": installed packages are searched.
        hardware: the device that a plugin's provider runs on, see ``hardware.chosen``.
    """

    provider: str = "CPUExecutionProvider"
    provider_options: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    threads: int = 0
    counts_layers: bool = False
    profile: str = ""
    plugin: str = ""
    hardware: str = ""

    def completed(self, config: Mapping[str, str], threads: int) -> SessionSettings:
        """These settings with entries and threads where they leave them open; 0 threads for no word."""
        return replace(self, config={**config, **self.config}, threads=self.threads or threads)

    def for_run(self, *, is_whole: bool, threads: int) -> SessionSettings:
        """The settings for one run of a model.

        Threads that have nothing to do spin for work by default, which starts the next run sooner, and takes cores
        from whoever computes meanwhile: they do not begin where other kernels run in between.

        Args:
            is_whole: whether nothing of the model runs elsewhere.
            threads: that the user allows; 0 for no word.
        """
        return self.completed({} if is_whole else MIXED, threads)


def runtime() -> Any:
    """The package ``onnxruntime``.

    Raises:
        DelegateUnavailable: it is not installed, or cannot be imported.
    """
    try:
        import onnxruntime
    except Exception as e:  # a package with a broken library raises anything
        raise DelegateUnavailable(f"The package 'onnxruntime' cannot be imported ({e}): {EXTRA}.") from e
    return onnxruntime


def release() -> str:
    """ONNX Runtime's release, "absent" where the package is not there."""
    try:
        return str(runtime().__version__)
    except (DelegateUnavailable, AttributeError):
        return "absent"


def check_provider(settings: SessionSettings) -> None:
    """Checks that ONNX Runtime has the provider here, and loads the provider's plugin.

    Raises:
        DelegateUnavailable: it does not, or the package is not there, or the plugin has no device.
    """
    there = providers()
    plugin = register(runtime(), settings.provider, settings.plugin)
    devices = plugin_devices(settings.provider)
    if devices:
        chosen(devices, settings.provider, settings.hardware)
    elif settings.provider not in there:
        raise DelegateUnavailable(absence(settings.provider, plugin, there))


def providers() -> list[str]:
    """The available execution providers.

    Raises:
        DelegateUnavailable: the package is not there, or damaged.
    """
    try:
        return list(runtime().get_available_providers())
    except AttributeError as e:
        raise DelegateUnavailable(f"The package 'onnxruntime' does not work ({e}): {EXTRA}.") from e


def session_of(model: bytes, outside: Mapping[str, Array], settings: SessionSettings) -> Any:
    """A session for a model.

    Args:
        model: its bytes.
        outside: its constants that are not in the bytes, by name; shared for as long as the session lives. Constants
            in files are read there, as long as the files are unchanged.
        settings: threads, provider and the like.

    Raises:
        DelegateBuildError: ONNX Runtime cannot run the model; the message is its own.
    """
    folder = folder_of(outside)
    found = None if folder is None else _session_on_files(model, outside, settings, folder)
    if found is not None:
        return found
    options = options_of(model, settings)
    hand_over(outside, options)
    return made_session(model, options, settings)


def _session_on_files(model: bytes, outside: Mapping[str, Array], settings: SessionSettings, folder: Path) -> Any:
    """A session that reads the constants in a folder's files; None where the files have changed, or cannot be read."""
    read = in_folder(outside, folder)
    if not are_current(read):
        return None
    options = options_of(model, settings)
    options.add_session_config_entry(FOLDER, str(folder))
    hand_over({name: array for name, array in outside.items() if name not in read}, options)
    try:
        session = made_session(model, options, settings)
    except DelegateBuildError:
        return None
    return session if are_current(read) else None


def hand_over(outside: Mapping[str, Array], options: Any) -> None:
    """Gives a session constants from memory."""
    values = [runtime().OrtValue.ortvalue_from_numpy(array) for array in outside.values()]
    if values:
        options.add_external_initializers(list(outside), values)


def options_of(model: bytes, settings: SessionSettings, *, allows_cpu: bool = False) -> Any:
    """ONNX Runtime's options for a model.

    Args:
        model: its bytes.
        settings: the settings of the session.
        allows_cpu: whether ONNX Runtime's CPU may run nodes that another provider does not take, without a check.
    """
    options = runtime().SessionOptions()
    options.intra_op_num_threads = settings.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    if settings.profile:
        options.enable_profiling = True
        options.profile_file_prefix = settings.profile
    overflows = has_integers(model) and not has_exact_products(runtime())
    own = {} if allows_cpu or settings.provider == "CPUExecutionProvider" else assignment_config()
    for key, value in {**(EXACT_INT8 if overflows else {}), **settings.config, **own}.items():
        options.add_session_config_entry(key, value)
    return options


def plugin_devices(provider: str) -> list[Any]:
    """The devices of a provider whose plugin is registered; empty for a built-in provider.

    ONNX Runtime leaves such a provider out of a session that asks for it by its name alone.
    """
    return [] if provider == "CPUExecutionProvider" else provider_devices(runtime(), provider)


def records_assignment() -> bool:
    """Whether this release of ONNX Runtime tells which provider runs which node."""
    return hasattr(runtime().InferenceSession, "get_provider_graph_assignment_info")


def assignment_config() -> dict[str, str]:
    """The entries of a session that runs no node on ONNX Runtime's CPU unseen.

    A release that cannot tell these nodes refuses to make a session that would have any.
    """
    return RECORDED if records_assignment() else NOTHING_ON_CPU


def made_session(model: bytes, options: Any, settings: SessionSettings) -> Any:
    """A session with the options of ``options_of`` for the model.

    Raises:
        DelegateBuildError: ONNX Runtime cannot run the model; the message is its own.
    """
    disabled = [*DISABLED, *SLOWER.get(settings.provider, ()), *TAKEN_BACK.get(settings.provider, ())]
    try:
        if not add_provider(options, settings):
            wanted = [(settings.provider, dict(settings.provider_options))]
            return _session(model, options, disabled, providers=wanted)
        with away_from_standard_output():
            return _session(model, options, disabled)
    except Exception as e:  # ONNX Runtime's exceptions have no common type
        raise DelegateBuildError(f"ONNX Runtime cannot make a session: {str(e).strip()}") from e


def add_provider(options: Any, settings: SessionSettings) -> bool:
    """Adds a plugin's provider to the options of a session; False for a built-in provider, which is named otherwise.

    Raises:
        DelegateUnavailable: the plugin does not have the device.
    """
    devices = plugin_devices(settings.provider)
    if not devices:
        return False
    device = chosen(devices, settings.provider, settings.hardware)
    options.add_provider_for_devices([device], dict(settings.provider_options))
    return True


def check_used(session: Any, settings: SessionSettings) -> None:
    """Checks that a session has the provider of its settings.

    Raises:
        DelegateBuildError: it does not.
    """
    used = session.get_providers()
    if settings.provider not in used:
        raise DelegateBuildError(
            f"ONNX Runtime made a session without '{settings.provider}': it has {', '.join(used)} alone. "
            "The provider's libraries cannot be loaded, or it has no device here; ONNX Runtime's log says which."
        )


def _session(model: bytes, options: Any, disabled: list[str], **wanted: Any) -> Any:
    """A session. Without ``enable_fallback=0`` the package prints an error and makes one of the CPU provider alone."""
    return runtime().InferenceSession(model, options, **wanted, disabled_optimizers=disabled, enable_fallback=0)
