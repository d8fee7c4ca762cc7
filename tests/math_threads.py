"""The threads that numpy's math library takes now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info


def numpy_threads() -> set[int]:
    """The numbers of threads of numpy's own math libraries; other packages bring libraries that no kernel calls."""
    folder = Path(np.__file__).parent.parent
    beside = (folder / "numpy", folder / "numpy.libs")
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    own = [pool for pool in pools if any(Path(pool["filepath"]).is_relative_to(each) for each in beside)]
    return {pool["num_threads"] for pool in own or pools}
