"""Compiling: from files, bytes and graphs to compiled models, through the cache where there is one."""
