"""Graphs are tried on delegates in a helper process first, which may crash in place of this one."""
