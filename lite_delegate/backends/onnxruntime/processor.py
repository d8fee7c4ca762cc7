"""The features of the processor by which ONNX Runtime chooses kernels and the order of weights."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

NAMED = (
    *("avx", "avx2", "fma", "f16c", "avx_vnni", "avx_vnni_int8", "avx_ne_convert"),
    *("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_int8", "amx_bf16"),
    *("fphp", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2", "svei8mm", "svebf16", "sme"),
    *("vsx", "lsx", "lasx"),
)
"""Instructions, by Linux' names of them."""
LISTS = "flags", "Features", "features"
"""How the list of them is called there."""


@cache
def processor(description: Path = Path("/proc/cpuinfo")) -> str:
    """Its family and instructions; its name where the system lists none.

    Args:
        description: the system's file with the list.
    """
    family = platform.machine()
    try:
        with open(description, encoding="utf-8", errors="replace") as lines:
            listed = next(line for line in lines if line.partition(":")[0].strip() in LISTS)
    except (OSError, StopIteration):
        return f"{family} {platform.processor()}".strip()
    there = frozenset(listed.partition(":")[2].split())
    return " ".join([family, *(name for name in NAMED if name in there)])
