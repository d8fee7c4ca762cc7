"""The compilation of files, bytes and graphs to compiled models, through the cache if there is one."""
