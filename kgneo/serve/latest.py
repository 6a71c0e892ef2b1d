"""The latest state of a graph: what a server knows of it, made anew when the graph has changed, what of it is used,
or what its terms say.

Comes in: the context that the server was started with. Goes out: a context whose knowledge is not older than `OFTEN`,
unless making it takes long: then it is made so seldom that it takes no more than a tenth of the time. One question
makes it, the others go on with what there was. While the graph is empty, what there was stays.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from pathlib import Path

from kgneo.asking import latest, open_context
from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.graph.cache import LocalCache
from kgneo.graph.catalogue import catalogue
from kgneo.graph.record import read_record
from kgneo.query.catalogue import Catalogue
from kgneo.stages.interpret import reading

LOG = logging.getLogger("kgneo.serve")
OFTEN = 1.0
"""Seconds for which the graph, and the file of its terms, is taken to be as it was."""
SHARE = 10.0
"""So many times as long as making it took, what is known is kept at least."""


class Latest:
    """What is known of one graph, by all threads of a server."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._catalogue = catalogue(context.knowledge.schema, context.shape)
        self._cache = LocalCache(context.graph)
        self._choices = self._cache.choices()
        self._terms = _written(context.graph.terms_file)
        self._next = time.monotonic() + OFTEN
        self._making = threading.Lock()

    def context(self) -> Context:
        """What questions are answered with."""
        if time.monotonic() >= self._next and self._making.acquire(blocking=False):
            try:
                self._renew()
            finally:
                self._making.release()
        newer = latest(self._context)
        if newer.knowledge is not self._context.knowledge:  # the graph was looked at as a whole
            self._context, self._catalogue = newer, catalogue(newer.knowledge.schema, newer.shape)
        return self._context

    @property
    def known(self) -> Context:
        """The same without a look at the database."""
        return self._context

    def catalogue(self) -> Catalogue:
        """What query graphs are checked against."""
        self.context()
        return self._catalogue

    def _renew(self) -> None:
        started = time.monotonic()
        with suppress(KgneoError):  # what it is, the question itself will say, if it matters to it
            choices, terms = self._cache.choices(), _written(self._context.graph.terms_file)
            known = (self._context.knowledge.change, self._choices, self._terms)
            if (self._context.graph.last_change(), choices, terms) != known:
                if terms != self._terms:
                    self._read_terms(terms)
                self._choices = choices
                self._open()
        ended = time.monotonic()
        self._next = ended + max(OFTEN, SHARE * (ended - started))

    def _read_terms(self, written: int) -> None:
        """Take over what the file of terms says now; one that cannot be used is told, and what it said before stays."""
        self._terms = written
        graph = self._context.graph
        if graph.terms_file is None or not written:
            graph.terms = None
            return
        from kgneo.terms.file import read_terms  # and with it pydantic, for which no graph without terms must wait

        try:
            graph.terms = read_terms(graph.terms_file)
        except DataError as error:
            LOG.warning("%s What the terms said before stays in use.", error)

    def _open(self) -> None:
        old = self._context
        same = read_record(old.graph)
        encoder = old.triple_encoder if same is None or same.encoder == old.triple_encoder.name else None
        context = open_context(old.graph, encoder=encoder, options=old.options, model=old.model, prompts=old.prompts)
        if encoder is not None:
            context.encoder = old.encoder  # it is loaded
        reading(context)
        self._catalogue = catalogue(context.knowledge.schema, context.shape)
        self._context = context


def _written(file: Path | None) -> int:
    """When a file was written, in nanoseconds; 0 where there is none."""
    try:
        return file.stat().st_mtime_ns if file else 0
    except OSError:
        return 0
