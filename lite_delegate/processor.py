"""Which processor numpy's BLAS library computes for, where it does not find that out by itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, MutableMapping
from pathlib import Path

CORE_TYPE = "OPENBLAS_CORETYPE"
"""The environment variable by which OpenBLAS is told what to compute for. It is read when numpy is imported."""
AVX512_FEATURES = frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})
"""What OpenBLAS's kernels for SkylakeX need."""
_ONE_PROCESSOR = 8192
"""More characters than /proc/cpuinfo has for one processor."""


def use_avx512(
    environment: MutableMapping[str, str] = os.environ,
    imported: Container[str] = sys.modules,
    cpuinfo: Path = Path("/proc/cpuinfo"),
) -> bool:
    """Has OpenBLAS use AVX-512 on processors of AMD that have it, unless numpy is there already or the user chose.

    OpenBLAS as numpy ships it takes those it does not know (of family 26, for one) for Haswell, and matrix products then
    take about twice as long. Processors of other makers it recognises. Elsewhere than on Linux nothing is done.

    Returns:
        Whether ``environment`` was changed.
    """
    if CORE_TYPE in environment or "numpy" in imported:
        return False
    try:
        with cpuinfo.open(encoding="utf-8", errors="replace") as file:
            first = file.read(_ONE_PROCESSOR).partition("\n\n")[0]
    except OSError:
        return False
    facts = dict(line.split(":", 1) for line in first.splitlines() if ":" in line)
    known = {name.strip(): text.split() for name, text in facts.items()}
    if known.get("vendor_id") != ["AuthenticAMD"] or not AVX512_FEATURES <= set(known.get("flags", ())):
        return False
    environment[CORE_TYPE] = "SkylakeX"
    return True
