"""Losses: the digits of the output that each node costs on the device, and the smallest repair."""
