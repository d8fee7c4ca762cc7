"""Emitting: from lowered operators to OpenVINO's nodes."""
