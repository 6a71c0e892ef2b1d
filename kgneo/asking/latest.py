"""The latest state of a graph: what is known of it, made anew when the graph has changed, what of it is used, or what
its terms say.

Comes in: a context, which may be as old as the process. Goes out: one whose knowledge is of the graph as it is now.
Every question looks whether the graph has changed, which takes one round trip. Where it has, what is known is made anew
first. Where that takes more than five seconds and the graph goes on changing, no more than a tenth of the time goes
into it, and questions go on with what there was, which their answers say (`behind`). One that finds nothing has it made
anew all the same (`must`). While the graph is empty, what there was stays.

A graph whose schema was read from samples is looked at as a whole behind the questions (`look_further`).
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from weakref import WeakSet

from kgneo.asking.opening import open_context
from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.graph.cache import LocalCache
from kgneo.graph.open import Knowledge, open_knowledge
from kgneo.graph.record import read_record
from kgneo.graph.schema import SCAN_SECONDS, WHOLE
from kgneo.stages.interpret import reading

LOG = logging.getLogger("kgneo")
LATEST = "latest"
"""Where what is known by now stands in a context's memory."""
QUICK = 5.0
"""Seconds up to which what is known is made anew whenever the graph has changed."""
SHARE, MUST_SHARE = 10.0, 1.0
"""So many times as long as making it took, what is known is kept at least where it takes longer; the same where a
question found nothing."""
BEHIND = "The graph has changed since it was last read, {seconds:.0f} s ago: names that are new may be missing."
SCANNED = "asking with the whole schema"
"""Where what is known since the graph was looked at as a whole stands in a context's memory."""
SCAN_AFTER = 2.0
"""Seconds from an answer until the graph is looked at as a whole: who is gone by then has begun nothing."""


def latest(context: Context, *, must: bool = False) -> Context:
    """The context with what is known of the graph as it is now. `must`: made anew though that is often done, since
    something was not found."""
    if not context.knowledge.change:  # nobody knows of what state of the graph it is
        return context
    kept = context.memory.get(LATEST) or context.memory.setdefault(LATEST, Latest(context))
    if not isinstance(kept, Latest) or not kept.knows(context):  # what is known was given by hand
        return context
    known = kept.context(must=must)
    if known.knowledge is context.knowledge and known.memory is context.memory:
        return context
    other = known.other_encoder
    return replace(context, knowledge=known.knowledge, memory=known.memory, encoder=known.encoder, other_encoder=other)


def behind(context: Context) -> str:
    """What is to be said of an answer where what is known of the graph is not of its latest state; empty else."""
    kept = context.memory.get(LATEST)
    return kept.behind() if isinstance(kept, Latest) and kept.knows(context) else ""


def is_older(one: Context, other: Context) -> bool:
    """Whether what is known in `one` is of another state of the graph than in `other`."""
    return one.knowledge.change != other.knowledge.change


class Latest:
    """What is known of one graph, by all threads."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cache = LocalCache(context.graph)
        self._choices = self._cache.choices()
        self._terms = _written(context.graph.terms_file)
        self._ended, self._took = 0.0, 0.0
        self._making = threading.Lock()
        self._made: WeakSet[Knowledge] = WeakSet([context.knowledge])

    def knows(self, context: Context) -> bool:
        """Whether what is known in a context is what it began with, or made."""
        return context.knowledge in self._made

    def context(self, *, must: bool = False) -> Context:
        """What questions are answered with."""
        quick = self._took <= QUICK
        if quick or time.monotonic() >= self._ended + self._took * (MUST_SHARE if must else SHARE):
            self._look(wait=quick or must)
        scanned = self._context.memory.get(SCANNED)
        if isinstance(scanned, Context):
            self._take(scanned)
        return self._context

    def behind(self) -> str:
        """What is to be said where the graph has changed since; empty where it has not, or nobody knows."""
        if self._took <= QUICK:
            return ""
        try:
            same = self._context.graph.last_change() == self._context.knowledge.change
        except KgneoError:
            return ""
        return "" if same else BEHIND.format(seconds=time.monotonic() - self._ended)

    def _look(self, *, wait: bool) -> None:
        """Make what is known anew where the graph has changed; one thread does, and others go on with what there was
        unless they `wait`."""
        if not self._making.acquire(blocking=wait):
            return
        try:
            with suppress(KgneoError):  # what it is, the question itself will say, if it matters to it
                self._renew()
        finally:
            self._making.release()

    def _renew(self) -> None:
        choices, terms = self._cache.choices(), _written(self._context.graph.terms_file)
        known = (self._context.knowledge.change, self._choices, self._terms)
        if (self._context.graph.last_change(), choices, terms) == known:
            return
        started = time.monotonic()
        if terms != self._terms:
            self._read_terms(terms)
        self._choices = choices
        try:
            self._open()
        finally:
            self._ended = time.monotonic()
            self._took = self._ended - started

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
        self._take(context)

    def _take(self, context: Context) -> None:
        context.memory[LATEST] = self
        context.memory.pop(SCANNED, None)
        self._made.add(context.knowledge)
        self._context = context


def _written(file: Path | None) -> int:
    """When a file was written, in nanoseconds; 0 where there is none."""
    try:
        return file.stat().st_mtime_ns if file else 0
    except OSError:
        return 0


def look_further(context: Context) -> None:
    """Look at the whole graph behind the questions, where its schema was read from samples: soon, unless the graph is
    closed by then. From when that is done on, `latest` gives what is known since."""
    schema = context.knowledge.known_schema
    if schema is not None and not schema.whole and not context.shape.loaded and SCANNED not in context.memory:
        context.graph.behind(partial(_scan, context), after=SCAN_AFTER, seconds=SCAN_SECONDS)


def _scan(context: Context) -> None:
    cache, shapes = LocalCache(context.graph), [WHOLE, *([context.shape] if context.shape.left_out else [])]
    if not all(cache.scan(shape, again=False).scanned for shape in shapes):
        return
    knowledge = open_knowledge(context.graph, encoder=context.triple_encoder.name)
    known = replace(context, knowledge=knowledge, memory={})
    reading(known)
    context.memory[SCANNED] = known
