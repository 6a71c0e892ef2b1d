"""The grammar that holds a reply to the names of the triples that were shown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kgneo.model import Candidate, Triple
from kgneo.stages.facts import one_line, quoted
from kgneo.stages.name_grammar import listed_grammar, name_grammar

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()|?]|\[Nn\])|\s+|name|\*')


def pattern(grammar: str) -> re.Pattern[str]:
    """The rule for one name as a regular expression."""
    rule = grammar.partition("name ::= ")[2]
    parts = []
    for match in TOKEN.finditer(rule):
        if match[1] is not None:
            literal = re.sub(r"\\(.)", r"\1", match[1])
            parts.append(f"(?:{re.escape(literal)})")
        elif match[2]:
            parts.append(match[2])
    return re.compile("".join(parts))


def shown(*names: str) -> list[Candidate]:
    return [Candidate(Triple(name, "knows", name), 1) for name in names]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=20), st.text())
def test_a_reply_is_a_name_that_was_shown_and_nothing_else(names: list[str], other: str) -> None:
    grammar = name_grammar(shown(*names))
    written = {text for name in names for text in (quoted(name), *([] if ";" in name else [one_line(name)])) if text}
    assert (grammar is None) == (not written)
    if grammar is None:
        return
    rule = pattern(grammar)
    assert all(rule.fullmatch(name) for name in written)
    assert (rule.fullmatch(other) is not None) == (other in written)


def test_one_of_the_words_or_of_the_listed_names() -> None:
    grammar = listed_grammar(("Ulm", "Bonn", ""), "all", "none")
    assert grammar.startswith('root ::= "all" | "none" | name')
    assert pattern(grammar).fullmatch("Ulm")
    assert not pattern(grammar).fullmatch("Kiel")
    assert listed_grammar(("",), "all", "none") == 'root ::= "all" | "none"\n'


def test_names_share_their_beginnings() -> None:
    grammar = name_grammar(shown("The Wolf", "The Wolf II", "The War"))
    assert grammar is not None
    assert grammar.count("The W") == 1


def test_a_name_that_begins_others_many_times_over_is_no_deep_nesting() -> None:
    grammar = name_grammar(shown(*("a" * length for length in range(1, 400))))
    assert grammar is not None
    assert grammar.count("(") < 100


def test_nothing_shown_is_no_grammar() -> None:
    assert name_grammar([]) is None


def test_likely_names_alone_are_allowed_where_any_were_shown() -> None:
    grammar = name_grammar(shown("Ulm", "Bonn"), {"Bonn", "Kiel"})
    assert grammar is not None
    assert pattern(grammar).fullmatch("Bonn")
    assert not pattern(grammar).fullmatch("Ulm")
    assert name_grammar(shown("Ulm"), {"Kiel"}) == name_grammar(shown("Ulm"))


def test_what_is_asked_about_is_no_answer_beside_others() -> None:
    grammar = name_grammar(shown("Ulm", "Bonn"), topic="Ulm")
    assert grammar is not None
    assert pattern(grammar).fullmatch("Bonn")
    assert not pattern(grammar).fullmatch("Ulm")
    assert name_grammar(shown("Ulm"), topic="Ulm") == name_grammar(shown("Ulm"))


def test_the_graph_may_lack_the_answer_unless_a_path_surely_leads_to_it() -> None:
    refusal = "ot in the graph"
    assert refusal in (name_grammar(shown("Ulm", "Bonn")) or "")
    assert refusal not in (name_grammar(shown("Ulm", "Bonn"), {"Bonn"}) or refusal)
