"""Kernels of operators that the ``.ms`` format has no number for: Custom nodes of type ``ai.onnx.X`` or ``tflite.X``.

One small file per operator, as for the format's own. Attributes are those of the operator's definition, under its
names and with its defaults.
"""
