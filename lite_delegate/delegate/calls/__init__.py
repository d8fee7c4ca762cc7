"""Calls of delegates: under guard, cancelled, with progress, spans and logs."""
