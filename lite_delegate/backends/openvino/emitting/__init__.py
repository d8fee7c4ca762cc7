"""From lowered operators to OpenVINO's."""
