"""Rules that several checks share; what-if counts rejections by these rules together."""

from __future__ import annotations

KNOWN_SHAPES = "shapes must be known"
SHAPE_OF_RESULT = "outputs must have the shapes that the device computes"
SHAPE_OF_PARAMETERS = "parameters must have the shape of the axes that they scale"
BIAS_OF_CHANNELS = "bias must have one element for each output channel"
