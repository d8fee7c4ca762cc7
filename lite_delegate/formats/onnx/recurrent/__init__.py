"""Recurrent operators of ONNX in the terms of ours."""
