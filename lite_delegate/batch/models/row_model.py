"""RowModel: computes columns for rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lite_delegate_kernels import Array


class RowModel(Protocol):
    """Computes columns for rows."""

    def run(self, arrays: Mapping[str, Array]) -> Sequence[Any]:
        """The values of columns for at most one batch of rows.

        Args:
            arrays: the rows by input, ``(K, ...)`` with the same K.

        Returns:
            For each column an array ``(K, ...)``, or a list of K values.

        Raises:
            LiteDelegateError: the rows cannot be computed.
        """
