"""Open shapes: one model of a backend for many shapes, proven by lowering each shape and comparing the records."""

from .family import Families, Family, FamilyMember
from .general import Fed, General
from .written_run import WrittenRun, written_run

__all__ = ["Families", "Family", "Fed", "General", "FamilyMember", "WrittenRun", "written_run"]
