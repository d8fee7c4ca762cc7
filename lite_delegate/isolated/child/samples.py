"""RemoteSamples: samples that the parent computes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...errors import DelegateError, InputError
from ...tensors.tensor import Array, Tensor
from ..passing.channel import Channel
from ..passing.memory import mapped
from ..passing.messages import SamplesEnd, SamplesWanted, SampleValues
from .mirrors import Mirrors


class RemoteSamples:
    """The samples of a call, see ``delegate.Samples``: the parent computes them, and they come in shared memory.

    Args:
        channel: to the parent, which waits for the end of the call.
        mirrors: the tensors.
        count: the number of samples.
    """

    def __init__(self, channel: Channel, mirrors: Mirrors, count: int) -> None:
        self._channel, self._mirrors, self.count = channel, mirrors, count

    def has(self, tensor: Tensor) -> bool:
        """Whether the values of a tensor are known. A tensor without a finite value counts as unknown."""
        return tensor.is_const or tensor in self.ranges([tensor])

    def arrays(self, tensors: Sequence[Tensor]) -> Iterator[tuple[Array, ...]]:
        """The values of tensors, sample by sample; all samples are computed before the first one is given."""
        self._channel.send(SamplesWanted(self._numbers(tensors)))
        found: list[tuple[Array, ...]] = []
        while True:
            message, descriptors = self._channel.receive()
            if isinstance(message, SamplesEnd):
                if message.error:
                    raise InputError(message.error)
                return iter(found)
            assert isinstance(message, SampleValues)
            memory = mapped(descriptors.pop())
            found.append(tuple(place.of(memory, is_read_only=True) for place in message.places))

    def ranges(self, tensors: Iterable[Tensor]) -> Mapping[Tensor, tuple[float, float]]:
        """The least and the greatest finite value of tensors over all samples."""
        asked = [tensor for tensor in tensors if self._mirrors.number(tensor)]
        self._channel.send(SamplesWanted(self._numbers(asked), are_ranges=True))
        end, descriptors = self._channel.receive()
        for descriptor in descriptors:
            os.close(descriptor)
        assert isinstance(end, SamplesEnd)
        if end.error:
            raise DelegateError(end.error)
        pairs = zip(asked, end.ranges, strict=True)
        return {tensor: pair for tensor, pair in pairs if pair is not None}

    def _numbers(self, tensors: Iterable[Tensor]) -> tuple[int, ...]:
        return tuple(map(self._mirrors.number, tensors))
