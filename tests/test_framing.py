"""What of a message is said around a question."""

from __future__ import annotations

import pytest

from kgneo.english.framing import unframed


def names(word: str) -> bool:
    return word.rstrip("s") in ("boat", "harbour", "captain", "team")


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Hi, I'm new here. Could someone tell me which boats are red? Thanks!", "which boats are red?"),
        ("Dear team, for the report I need to know who owns a boat. Thank you!", "who owns a boat."),
        ("I would like to know how many boats there are.", "how many boats there are."),
        ("Hi! List the boats.", "List the boats."),
        ("Tell me who is J. Smith.", "who is J. Smith."),
        ("Who is the captain of Tern? It is for a leaflet.", "Who is the captain of Tern?"),
    ],
)
def test_a_question_is_told_apart_from_what_frames_it(message: str, question: str) -> None:
    assert unframed(message, names) == question


@pytest.mark.parametrize(
    "message",
    [
        "Which boats are red?",
        "Find all those who sail boats.",
        "In which harbour is the boat Tern?",
        "Boats that are red. Which boats are old?",
        "Look at the boats and tell me which are red.",
        "Is it Rosa or Ines who owns Tern?",
        "Hello, Dolly! was directed by whom?",
        "Which captain was born in St. Malo.",
        "Who owns the boats of Acme? Tolkien.",
    ],
)
def test_what_names_something_stays(message: str) -> None:
    assert unframed(message, names) == message
