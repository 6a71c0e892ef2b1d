"""RDF: N-Triples and Turtle, read through rdflib."""

from __future__ import annotations

from collections.abc import Iterator

from kgneo.loader import Head, LoadedTriple, LoadOptions, OnBadLine, Source


class RdfLoader:
    """Reads N-Triples and Turtle."""

    name = "rdf"
    aliases = ("ntriples", "nt", "turtle", "ttl")

    def recognises(self, head: Head) -> float:
        """Not yet."""
        return 0.0 if head else 0.0

    def read(self, source: Source, *, options: LoadOptions, on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
        """Not yet."""
        raise NotImplementedError(source, options, on_bad_line)
