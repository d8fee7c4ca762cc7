"""Maximum: claimed where the operands broadcast."""

from __future__ import annotations

from ._elementwise import binary

CHECK = binary("Maximum")
