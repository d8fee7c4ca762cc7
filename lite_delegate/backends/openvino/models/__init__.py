"""Compiled models of OpenVINO: how they are made, kept, and where each layer ran."""
