"""Profiles of runs: the stages of a run on one clock, the times of its kernels, and traces of both."""
