"""Regions: loops and branches that a delegate takes as one kernel."""
