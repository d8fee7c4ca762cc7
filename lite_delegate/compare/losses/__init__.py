"""Losses: how much of the output each node costs on the device, and the smallest repair."""
