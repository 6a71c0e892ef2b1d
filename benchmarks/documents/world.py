"""A small invented world, told in documents: what a language model would find in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SIZE = 64
"""Numbers of a vector."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that the documents speak of."""

    name: str
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What a sentence of a document says, with the dates between which it is so."""

    subject: str
    relation: str
    object: str
    sentence: str
    keywords: str
    since: str = ""
    until: str = ""


THINGS = (
    Thing("Mara Lindqvist", "Person", "An engineer who founded Halden Robotics."),
    Thing("Jonas Beck", "Person", "A designer of pumps who changed from Halden Robotics to Arbor Labs."),
    Thing("Priya Nair", "Person", "A programmer at Halden Robotics."),
    Thing("Tomas Ek", "Person", "A chemist at Arbor Labs."),
    Thing("Halden Robotics", "Organization", "A company that builds drones for work under water."),
    Thing("Arbor Labs", "Organization", "A company that builds sensors for forests."),
    Thing("Kestrel Bank", "Organization", "A bank that lends to young companies."),
    Thing("Northfjord University", "Organization", "A university by the sea."),
    Thing("Bergen", "Location", "A town on the west coast of Norway."),
    Thing("Oslo", "Location", "The capital of Norway."),
    Thing("Otter", "Product", "A drone that inspects harbours under water for ten hours."),
    Thing("Heron", "Product", "A sensor that warns of forest fires."),
)
FACTS = (
    Fact("Mara Lindqvist", "FOUNDED", "Halden Robotics",
         "Mara Lindqvist founded Halden Robotics in March 2015.", "founding, entrepreneurship", "2015-03-01"),
    Fact("Jonas Beck", "WORKS_FOR", "Halden Robotics",
         "Jonas Beck worked for Halden Robotics from 2018 until the summer of 2022.", "employment, career",
         "2018-01-01", "2022-07-01"),
    Fact("Priya Nair", "WORKS_FOR", "Halden Robotics",
         "Priya Nair has worked for Halden Robotics since 2019.", "employment, programming", "2019-01-01"),
    Fact("Halden Robotics", "LOCATED_IN", "Oslo",
         "Halden Robotics has been located in Oslo since 2021.", "location, headquarters", "2021-01-01"),
    Fact("Halden Robotics", "DEVELOPED", "Otter",
         "Halden Robotics developed Otter, a drone that inspects harbours under water.", "development, product"),
    Fact("Kestrel Bank", "INVESTED_IN", "Halden Robotics",
         "Kestrel Bank invested two million kroner in Halden Robotics in 2020.", "investment, finance", "2020-05-01"),
    Fact("Jonas Beck", "WORKS_FOR", "Arbor Labs",
         "Jonas Beck has worked for Arbor Labs since August 2022.", "employment, career", "2022-08-01"),
    Fact("Tomas Ek", "WORKS_FOR", "Arbor Labs",
         "Tomas Ek has worked for Arbor Labs since 2016.", "employment, chemistry", "2016-01-01"),
    Fact("Arbor Labs", "LOCATED_IN", "Bergen",
         "Arbor Labs is located in Bergen.", "location, headquarters", "2014-01-01"),
    Fact("Arbor Labs", "DEVELOPED", "Heron",
         "Arbor Labs developed Heron, a sensor that warns of forest fires.", "development, product"),
    Fact("Priya Nair", "STUDIED_AT", "Northfjord University",
         "Priya Nair studied at Northfjord University.", "education, alumni", "2014-09-01", "2018-06-30"),
    Fact("Tomas Ek", "STUDIED_AT", "Northfjord University",
         "Tomas Ek studied chemistry at Northfjord University.", "education, alumni", "2009-09-01", "2014-06-30"),
    Fact("Northfjord University", "LOCATED_IN", "Bergen",
         "Northfjord University is located in Bergen.", "location, campus", "1946-01-01"),
    Fact("Mara Lindqvist", "MARRIED_TO", "Tomas Ek",
         "Mara Lindqvist is married to Tomas Ek.", "marriage, family", "2017-06-01"),
)  # fmt: skip
DOCUMENTS: Mapping[str, Sequence[Fact]] = {
    "halden.txt": FACTS[:6],
    "arbor.txt": FACTS[6:10],
    "people.txt": FACTS[10:],
}


def text_of(document: str) -> str:
    """What a document says."""
    return " ".join(fact.sentence for fact in DOCUMENTS[document])


def said(text: str) -> tuple[list[Thing], list[Fact]]:
    """The things and the facts that a text tells of."""
    facts = [fact for fact in FACTS if fact.sentence in text]
    names = {name for fact in facts for name in (fact.subject, fact.object)}
    return [thing for thing in THINGS if thing.name in names], facts


def vector_of(text: str) -> list[float]:
    """A vector of `SIZE` numbers for a text, by its words."""
    found = [0.01] * SIZE
    for word in text.lower().split():
        found[sum(word.encode()) % SIZE] += 1.0
    return found
