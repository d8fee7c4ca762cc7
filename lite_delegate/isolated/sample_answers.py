"""The answers to a delegate's questions for samples: values that the parent computes, in shared memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..delegate.samples import Samples, current_samples
from ..errors import DelegateError, LiteDelegateError
from ..tensors.tensor import Tensor
from .directory import Directory
from .passing.channel import Channel
from .passing.memory import packed
from .passing.messages import SamplesEnd, SamplesWanted, SampleValues


def answer_samples(channel: Channel, directory: Directory, wanted: SamplesWanted) -> None:
    """Sends the values of each sample, or the ranges.

    Args:
        channel: to the delegate's process.
        directory: of the tensors that the process knows.
        wanted: the question.

    Raises:
        ChannelClosed, TimeoutError: the process takes no answer.
    """
    try:
        samples, tensors = _found(directory, wanted)
        if wanted.are_ranges:
            known = samples.ranges(tensors)
            channel.send(SamplesEnd(tuple(known.get(tensor) for tensor in tensors)))
            return
        for message, descriptor in _values(samples, tensors):
            try:
                channel.send(message, (descriptor,))
            finally:
                os.close(descriptor)
    except (LiteDelegateError, MemoryError) as e:
        channel.send(SamplesEnd(error=str(e) or "out of memory"))
        return
    channel.send(SamplesEnd())


def _found(directory: Directory, wanted: SamplesWanted) -> tuple[Samples, list[Tensor]]:
    samples = current_samples()
    tensors = [tensor for number in wanted.tensors if (tensor := directory.tensor_of(number)) is not None]
    if samples is None or len(tensors) < len(wanted.tensors):
        raise DelegateError("There are no samples of a tensor that the model does not have.")
    return samples, tensors


def _values(samples: Samples, tensors: list[Tensor]) -> Iterator[tuple[SampleValues, int]]:
    for arrays in samples.arrays(tensors):
        try:
            places, descriptor = packed(arrays)
        except OSError as e:
            raise DelegateError(f"the values of samples cannot be put in shared memory: {e}") from e
        yield SampleValues(places), descriptor
