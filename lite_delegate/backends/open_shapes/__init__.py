"""One model of a backend for many shapes: proven by lowering at each of them, and comparing what was written."""

from .family import Families, Family, FamilyMember
from .general import Fed, General
from .written_run import WrittenRun, written_run

__all__ = ["Families", "Family", "Fed", "General", "FamilyMember", "WrittenRun", "written_run"]
