"""The interface of ``mindspore_lite``: Model, Converter, ModelParallelRunner, ModelGroup and LiteInfer."""
