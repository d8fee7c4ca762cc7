"""All properties that there are, by who has them; marks and tests name them so."""

from __future__ import annotations

from collections.abc import Mapping

from lite_delegate.backends.ethosu.properties import registry as ethosu_registry
from lite_delegate.backends.litert.properties import registry as litert_registry
from lite_delegate.backends.onnxruntime.sessions.properties import registry as onnxruntime_registry
from lite_delegate.backends.openvino.models.properties import registry as openvino_registry
from lite_delegate.backends.qnn.properties import DEVICE as QNN_DEVICE
from lite_delegate.devices.settings.core_properties import CORE_PROPERTIES
from lite_delegate.devices.virtual.batch import properties_of_batch
from lite_delegate.inference.properties.build_properties import BUILD_PROPERTIES, REFERENCE_KERNELS
from lite_delegate.inference.properties.cpu_properties import CPU_PROPERTIES
from lite_delegate.inference.properties.model_properties import FACTS
from lite_delegate.inference.properties.runtime_properties import RUNTIME, RUNTIME_PROPERTIES
from lite_delegate.isolated.isolation import SPECS
from lite_delegate.npu.options import registry_of
from lite_delegate.npu.profiles import load_profile
from lite_delegate.properties import PropertySpec, Registry

OWNERS: Mapping[str, Registry] = {
    "core": Registry("The core", [spec for spec in CORE_PROPERTIES if spec.name not in RUNTIME]),
    "runtime": Registry("The runtime", RUNTIME_PROPERTIES),
    "context": Registry("The context", (*BUILD_PROPERTIES, REFERENCE_KERNELS)),
    "CPU": Registry("The CPU", CPU_PROPERTIES),
    "NPU": registry_of(load_profile("npu4000")),
    "ISOLATED": Registry("A delegate in a process of its own", SPECS),
    "model": Registry("The compiled model", FACTS, when="R"),
    "BATCH": properties_of_batch(),
    "OPENVINO": openvino_registry(),
    "ONNXRUNTIME": onnxruntime_registry(),
    "QNN": Registry("Device QNN", (QNN_DEVICE,)),
    "LITERT": litert_registry(),
    "ETHOSU": ethosu_registry(),
}
"""The registries by owner. The core has those of the runtime as well, QNN those of ONNXRUNTIME."""
MADE_IN = {
    "backends/ethosu/properties.py",
    "backends/litert/properties.py",
    "backends/onnxruntime/sessions/properties.py",
    "backends/openvino/models/properties.py",
    "backends/qnn/properties.py",
    "devices/virtual/batch.py",
    "devices/settings/core_properties.py",
    "devices/settings/virtual_properties.py",
    "inference/properties/build_properties.py",
    "inference/properties/cache_properties.py",
    "inference/properties/cpu_properties.py",
    "inference/properties/model_properties.py",
    "inference/properties/runtime_properties.py",
    "isolated/isolation.py",
    "npu/options/compiler_specs.py",
    "npu/options/fact_specs.py",
    "npu/options/running_specs.py",
    "npu/options/specs.py",
    "npu/options/yes_no.py",
}
"""The files of the package that make properties, which are all in ``OWNERS``."""
ALL: Mapping[tuple[str, str], PropertySpec] = {
    (owner, spec.name): spec for owner, registry in OWNERS.items() for spec in registry
}
"""Every property by owner and name."""
