"""The Snapdragon chips that can be compiled for, and the architectures of their HTP.

The numbers are those of Qualcomm's SDK, as the public schema of ExecuTorch's Qualcomm backend lists them
(github.com/pytorch/executorch, backends/qualcomm/serialization/qc_schema.py).
"""

from __future__ import annotations

from types import MappingProxyType

from ...basics.data_class import dataclass

ARCHITECTURES = (68, 69, 73, 75, 79, 81)
"""Versions of the HTP."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A device that is compiled for.

    Attributes:
        name: as it is named in ``qnn:NAME``.
        architecture: the version of the HTP; 0: the plugin chooses.
        soc_model: Qualcomm's number of the chip; 0 for no particular chip.
    """

    name: str
    architecture: int = 0
    soc_model: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The plugin's options for the device, which quantizes inputs and outputs itself."""
        found = {"backend_type": "htp", "offload_graph_io_quantization": "0"}
        if self.architecture:
            found["htp_arch"] = str(self.architecture)
        if self.soc_model:
            found["soc_model"] = str(self.soc_model)
        return found


HTP = Chip("htp")
"""The HTP of no particular chip: float32 is computed as such, which no real HTP does."""
CHIPS = MappingProxyType(
    {
        chip.name: chip
        for chip in (
            HTP,
            *(Chip(f"htp{architecture}", architecture) for architecture in ARCHITECTURES),
            Chip("QCM6490", 68, 93),
            Chip("QCS9100", 73, 77),
            Chip("SA8255", 73, 52),
            Chip("SA8295", 68, 39),
            Chip("SA8540", 68, 62),
            Chip("SA8797", 81, 72),
            Chip("SAR2230P", 81, 95),
            Chip("SM8350", 68, 30),
            Chip("SM8450", 69, 36),
            Chip("SM8475", 69, 42),
            Chip("SM8550", 73, 43),
            Chip("SM8650", 75, 57),
            Chip("SM8750", 79, 69),
            Chip("SM8845", 81, 97),
            Chip("SM8850", 81, 87),
            Chip("SSG2115P", 73, 46),
            Chip("SSG2125P", 73, 58),
            Chip("SW6100", 81, 96),
            Chip("SXR1230P", 73, 45),
            Chip("SXR2230P", 69, 53),
            Chip("SXR2330P", 79, 75),
        )
    }
)
