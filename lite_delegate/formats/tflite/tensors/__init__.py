"""Tensors of TensorFlow Lite files: layout, buffers and sparse contents."""
