"""Encoding on the machines of a Ray cluster.

Comes in: an encoder and the address of a cluster. `on_cluster` gives one with the same vectors, whose texts are encoded
in units by the workers there: each loads the encoder once, by its name. A unit depends on nothing but its texts, so
Ray does it again where a worker was killed. Workers need kgneo and the encoder's weights; whether theirs are the same
is checked by its fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from kgneo.encoders.encoder import Encoder, OnnxEncoder, Similarity, Vectors, load_encoder
from kgneo.errors import EncoderError
from kgneo.extras import how_to_install

LOCAL = "local"
"""In place of an address: a cluster of this machine's cores, for as long as it is needed."""
UNIT = 256
"""Texts that a worker encodes at a time."""
RETRIES = 5
"""How often a unit is done again whose worker was killed."""


@contextmanager
def on_cluster(
    encoder: Encoder, address: str, *, workers: int | None = None, report: Callable[[str], None] = lambda _: None
) -> Iterator[Encoder]:
    """`encoder` on the cluster at `address` (HOST:PORT, ray://HOST:PORT, auto, or LOCAL, there with so many `workers`).

    Raises EncoderError where Ray is missing or the cluster cannot be reached.
    """
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise EncoderError(
            f"Encoding on a cluster needs Ray, which cannot be imported: {error}",
            hint=how_to_install("ray"),
        ) from error
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    local: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise EncoderError(
            f"no Ray cluster at {address!r}: {' '.join(str(error).split())[:200]}",
            hint="Expected HOST:PORT of one that runs (`ray start --head`), auto, or local.",
        ) from error
    try:
        number = int(ray.cluster_resources().get("CPU", 1))
        report(f"Encoding with {number} workers of Ray at {address}.")
        yield RayEncoder(encoder, ray, workers=number)
    finally:
        ray.shutdown()


class RayEncoder:
    """An encoder whose texts go to the workers of a cluster that is connected."""

    def __init__(self, encoder: Encoder, ray: Any, *, workers: int) -> None:
        self._encoder = encoder
        self._ray = ray
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(encode_unit)
        self.name = encoder.name
        self.at_once = max(2, workers)

    @property
    def dimensions(self) -> int:
        """As the encoder's."""
        return self._encoder.dimensions

    @property
    def similarity(self) -> Similarity:
        """As the encoder's."""
        return self._encoder.similarity

    @property
    def fingerprint(self) -> str:
        """As the encoder's."""
        return self._encoder.fingerprint

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """The encoder's vectors. Raises EncoderError where workers fail, or have another encoder of this name."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        units = [list(texts[start : start + UNIT]) for start in range(0, len(texts), UNIT)]
        tasks = [self._task.remote(self.name, self.fingerprint, unit, query) for unit in units]
        try:
            return np.vstack(self._ray.get(tasks))
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None) or error
            if isinstance(cause, EncoderError):
                raise EncoderError(cause.message, hint=cause.hint) from None
            raise EncoderError(f"a worker failed: {' '.join(str(cause).split())[:300]}") from error


def encode_unit(name: str, fingerprint: str, texts: Sequence[str], query: bool) -> Vectors:
    """A unit, on a worker. Raises EncoderError for another encoder than the one of `fingerprint`."""
    encoder = _loaded(name)
    if encoder.fingerprint != fingerprint:
        raise EncoderError(
            f"a worker's encoder {name!r} is another one: {encoder.fingerprint}, expected {fingerprint}.",
            hint="Give all machines the same weights.",
        )
    return encoder.encode(texts, query=query)


@cache
def _loaded(name: str) -> Encoder:
    """The encoder of this worker, which has one core."""
    encoder = load_encoder(name)
    return replace(encoder, threads=1) if isinstance(encoder, OnnxEncoder) else encoder
