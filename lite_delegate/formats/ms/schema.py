"""The schema of ``.ms`` files."""

from __future__ import annotations

from lite_delegate_schemas._generated.layout import FILE_IDENTIFIER, ROOT, TABLES, UNIONS

from ...flatbuffer.schema import Schema

MS = Schema(FILE_IDENTIFIER, ROOT, TABLES, UNIONS)
