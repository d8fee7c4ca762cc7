"""Compiled models of OpenVINO: how they are made and kept, and the device of each layer."""
