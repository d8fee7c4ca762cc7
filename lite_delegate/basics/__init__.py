"""Basics for all rooms: data classes, deferred imports, files, errors and warnings."""
