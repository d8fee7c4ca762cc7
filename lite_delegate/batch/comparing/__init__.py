"""Comparison of two models over a data set: a job whose parts hold distances, and what they come to."""
