"""Relation names as English: their words, which words share a root, and a whole path as one plain sentence.

Comes in: relation names as any graph spells them (`composed_by`, `PLAYED_IN`, `placeOfBirth`,
`/people/person/nationality`). Goes out: their words, and wordings such as "capital of X → their mayor".
Only general English is used: suffixes, prepositions and the few verbs that carry no meaning of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Self

from kgneo.english.words import (
    BASES,
    ENDINGS_OF_NAMES,
    IRREGULAR_PLURALS,
    LIGHT_WORDS,
    NOUNS_IN_IE,
    PAST_VERBS,
    PREPOSITIONS,
    SUFFIXES,
    UNITS,
    VERB_PREFIXES,
)
from kgneo.model import Hop, RelationPath

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")


class Called(str):
    """A name of the schema with what people call it (`said`) and a `description`: "T0042", "customer". It is that name
    wherever names are compared or written into a query; read as English, it is what people call it."""

    __slots__ = ("description", "said")
    said: str
    description: str

    def __new__(cls, name: str, said: str, description: str = "") -> Self:
        """The name `name`, called `said`; the same name, where that is empty."""
        made = super().__new__(cls, name)
        made.said, made.description = said or str(name), description
        return made

    def __reduce__(self) -> tuple[type[Called], tuple[str, str, str]]:
        """What a copy is made of."""
        return Called, (str(self), self.said, self.description)


def called(name: str) -> str:
    """What people call a name; itself, where nothing else is known."""
    return name.said if isinstance(name, Called) else name


def name_words(name: str) -> tuple[str, ...]:
    """The lower-case words of a relation name or label, as people call it; of a name with slashes only the last piece
    counts."""
    return _name_words(called(name))


@lru_cache(maxsize=4096)
def _name_words(name: str) -> tuple[str, ...]:
    pieces = [piece for piece in re.split(r"[/#]", name) if piece]
    last = pieces[-1] if pieces else name
    words = tuple(word.lower() for word in _WORD.findall(_CAMEL.sub(" ", last)))
    return words or (name.lower(),)


def content_words(name: str) -> tuple[str, ...]:
    """The words of a name that carry its meaning: "has_capital" gives ("capital",); never empty."""
    return _content_words(called(name))


@lru_cache(maxsize=4096)
def _content_words(name: str) -> tuple[str, ...]:
    words = _name_words(name)
    return tuple(word for word in words if word not in LIGHT_WORDS) or words


def telling_words(name: str) -> tuple[str, ...]:
    """The words of a name that say what it is, not in what it is given: "birth_year" gives ("birth",); never empty."""
    return _telling_words(called(name))


@lru_cache(maxsize=4096)
def _telling_words(name: str) -> tuple[str, ...]:
    words = _content_words(name)
    return tuple(word for word in words if word not in UNITS) or words


def is_code(name: str) -> bool:
    """Whether a name has a word in it that is none: "KNOWS_LW", but not "LOCATED_IN" or "by year"."""
    return any(word.isalpha() and not set("aeiouy") & set(word) for word in name_words(name))


def is_past(word: str) -> bool:
    """Whether a word is a verb in the past or a participle."""
    return word.endswith("ed") or any(word.removeprefix(start) in PAST_VERBS for start in ("", *VERB_PREFIXES))


def is_present(word: str) -> bool:
    """Whether a word has the form of "supplies"."""
    return word.endswith("s") and not word.endswith("ss")


def _plural_form(verb: str) -> str:
    """What they do: "supply" for "supplies"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y" if len(verb) > 4 else verb[:-1]
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "oes")) else verb[:-1]


def is_doer(word: str, verb: str) -> bool:
    """Whether a word is the noun for those who do what a verb says: "directors" for "directed"."""
    one = word.removesuffix("s")
    return one.endswith(("er", "or")) and not verb.startswith(one) and same_root(word, verb)


def made_of(word: str) -> tuple[str, ...]:
    """The names that a word in lower case may be made of: "bavaria" of "bavarian", "japan" of "japanese"."""
    found = []
    for ending, instead in ENDINGS_OF_NAMES.items():
        stem = word.removesuffix(ending)
        if word.endswith(ending) and len(stem) > 2:
            found += [stem + rest for rest in instead if len(stem) > 3 or len(rest) > 2]
    return tuple(dict.fromkeys(name for name in found if name != word))


def denies(word: str, name: str) -> bool:
    """Whether a word is the opposite of a name by its first letters: "unpaid" for "paid"."""
    return any(word.startswith(start) and same_root(word.removeprefix(start), name) for start in ("un", "non", "in"))


def is_deed(word: str) -> bool:
    """Whether a word is, by its ending, the noun for what a verb says is done: "investigations" for "investigated"."""
    return singular(word).endswith(("tion", "sion", "ment", "ance", "ence"))


def is_done(word: str, verb: str) -> bool:
    """Whether a word is the noun for what a verb in the past or the present says is done, and for nobody who does it or
    to whom it is done: "transfers" for "transferred", not "employers" or "employees"."""
    verbal = is_past(verb) or is_present(verb)
    return verbal and same_root(word, verb) and not is_doer(word, verb) and not singular(word).endswith("ee")


def is_noun(word: str, name: str) -> bool:
    """Whether a word is a name or its plural."""
    return word in (name, f"{name}s", f"{name}es", f"{name[:-1]}ies") or singular(word) == name


def in_singular(words: Iterable[str]) -> str:
    """Words with each in the singular, as phrases are compared."""
    return " ".join(map(singular, words))


def singular(word: str) -> str:
    """A noun in the singular, as far as its ending tells."""
    for one, several in IRREGULAR_PLURALS.items():
        if several == "people":
            continue  # a noun of its own: "how many people live in"
        if word == several or (several in ("children", "women") and word.endswith(several)):
            return word[: len(word) - len(several)] + one
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in NOUNS_IN_IE else word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]


LATIN = frozenset(("per", "con", "com", "dis", "pre", "pro", "trans", "uni", "inter", "plat", "sur"))
"""What no compound begins with: "performing" is no forming."""


@lru_cache(maxsize=65536)
def same_root(first: str, second: str) -> bool:
    """Whether two lower-case words differ only by English suffixes, such as "teacher" and "teaches".

    A compound counts by its last part: "schoolteacher" and "teaches".
    """
    if same_whole_root(first, second):
        return True
    if len(second) < 4:
        return False
    return any(first[:start] not in LATIN and _differ_by_suffix(first[start:], second)
               for start in range(3, len(first) - 4))  # fmt: skip


def same_whole_root(first: str, second: str) -> bool:
    """The same of two words as wholes: not "schoolteacher" and "teaches". Irregular verbs count as what they are forms
    of: "win" and "won"."""
    if _differ_by_suffix(first, second) or singular(first) == singular(second):
        return True
    irregular = first in BASES or second in BASES
    return irregular and _differ_by_suffix(BASES.get(first, first), BASES.get(second, second))


def _differ_by_suffix(first: str, second: str) -> bool:
    if first == second:
        return True
    common = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        common += 1
    return any(_is_stem(first, second, length) for length in range(common, 2, -1))


def _is_stem(first: str, second: str, length: int) -> bool:
    rests = [first[length:], second[length:]]
    doubled = first[length - 1]
    endings = [_is_ending(rest, doubled) for rest in rests]
    if length == 3 and "y" in rests and any(rest[:1] == "e" for rest in rests):
        return False  # "city" is no form of "cited"
    return all(endings) and (length > 3 or len(rests[0]) + len(rests[1]) <= 5)


def _is_ending(rest: str, doubled: str) -> bool:
    return not rest or rest in SUFFIXES or (rest[0] == doubled and rest[1:] in SUFFIXES)


def path_wording(path: RelationPath, *, topic: str = "X", names: Mapping[str, str] | None = None) -> str:
    """One plain sentence for a path, hop by hop: "capital of X → their mayor"."""
    steps = [hop_wording(hop, topic if number == 0 else "", names=names) for number, hop in enumerate(path.hops)]
    return " → ".join(steps)


def hop_wording(hop: Hop, topic: str = "", *, names: Mapping[str, str] | None = None) -> str:
    """One hop in words: of a `topic` ("capital of X"), else of what came before ("their capital")."""
    name = called((names or {}).get(hop.relation, hop.relation))
    return _hop_wording(name, hop.forward, tuple(map(called, hop.labels[:1])), topic)


@lru_cache(maxsize=4096)
def _hop_wording(name: str, forward: bool, labels: tuple[str, ...], topic: str) -> str:
    words, verb = relation_words(name)
    reached = " ".join(name_words(labels[0])) if labels else ""
    if is_role(words):
        them = topic or ("they" if forward else "them")
        return (
            f"{reached or 'what'} {_role_clause(words, them, reached, forward=forward, many=False, topics=not topic)}"
        )
    if verb:
        return _verb(words, topic, reached, forward=forward)
    return _noun(words, topic, reached, forward=forward)


def relation_words(name: str) -> tuple[tuple[str, ...], bool]:
    """The words of a relation's name, and whether they are a verb's."""
    name = called(name)
    words = name_words(name)
    if len(words) > 1 and words[0] in LIGHT_WORDS:
        words = words[1:]
    return words, words[-1] in PREPOSITIONS or is_past(words[-1]) or (name.isupper() and is_present(words[0]))


def clause_wording(
    relation: str, topic: str, *, forward: bool, noun: str = "", many: bool = False, topics: bool = False
) -> str:
    """What follows the noun for what a hop from `topic` reaches: "that X played in", "composed by X", "with topic X".

    `forward`: the hop leads from subject to object. `many`: the noun before is a plural; `topics`: the topic is one.
    A relation that is called as the `noun`, or as the topic begins, is not told twice: "products of orders", "with
    chief editors" and not "with chief editor editors".
    """
    words, verb = relation_words(relation)
    text = " ".join(words)
    if is_role(words):
        return _role_clause(words, topic, noun, forward=forward, many=many, topics=topics)
    if not verb and topic in ("they", "them"):
        if not forward:
            return f"with that {text}"
        return "of theirs" if text == noun else f"that {'are' if many else 'is'} {text} of them"
    if not verb and forward:
        return f"of {topic}" if text == noun else f"that {'are' if many else 'is'} {text} of {topic}"
    if not verb:
        return f"with {_ending_in(words, topic)}"
    passive = words[-1] == "by"
    if forward:
        auxiliary = ("were " if topics else "was ") if passive else ""
        return f"that {topic} {auxiliary}{_agreeing(words, topics)}"
    return f"{text} {topic}" if passive else f"that {_agreeing(words, many)} {topic}"


def is_role(words: Sequence[str]) -> bool:
    """Whether a relation's name says of what its subject is one: "member of", "member of club"."""
    return tuple(words[1:2]) == ("of",) and not is_past(words[0]) and not is_present(words[0])


def names_role(word: str, name: Sequence[str]) -> bool:
    """Whether a noun is what a relation's name says its subject is: "members" of "member of"."""
    return singular(word) == name[0] and is_role(name)


def _role_clause(words: Sequence[str], topic: str, noun: str, *, forward: bool, many: bool, topics: bool) -> str:
    """The clause of a role, which tells no noun twice: "clubs that students are members of" for MEMBER_OF_CLUB."""
    role, rest = words[0], " ".join(words[2:])
    told = not rest or re.match(rf"(?:{re.escape(rest)}|{re.escape(plural(rest))})\b", noun if forward else topic)
    if forward:
        behind = "" if told else f" {rest}"
        return f"that {topic} {f'are {plural(role)}' if topics else f'is {role}'} of{behind}"
    return f"that {f'are {plural(role)}' if many else f'is {role}'} of {topic if told else f'{rest} {topic}'}"


def _ending_in(words: Sequence[str], topic: str) -> str:
    """A relation's name with what it leads to: "topic Water", but of editors "chief editors"."""
    for length in range(len(words), 0, -1):
        own = " ".join(words[-length:])
        before = [*words[:-length], ""]
        for noun in (own, plural(own)):
            if topic == noun or topic.startswith((f"{noun} ", f"{noun},")):
                return " ".join(before) + topic
    return f"{' '.join(words)} {topic}"


def question_wording(relation: str, topic: str) -> str:
    """A question for what a relation leads to: "what does X flow through?", "what is the capital of X?"; empty for a
    name that makes none, such as `belongs_to_family` and `uses_currency`."""
    words, verb = relation_words(relation)
    text = " ".join(words)
    if verb and words[-1] == "by":
        return f"what was {topic} {text}?"
    if verb and is_present(words[0]):
        return f"what does {topic} {' '.join([_plural_form(words[0]), *words[1:]])}?"
    if verb:
        return f"what has {topic} {text}?"
    return "" if len(words) > 1 and is_present(words[0]) else f"what is the {text} of {topic}?"


def statement_wording(relation: str, subject: str, object: str) -> str:  # noqa: A002
    """A triple as a sentence: "X played in Y", "X was composed by Y", "X has capital Y"."""
    words, verb = relation_words(relation)
    text = " ".join(words)
    if is_role(words):
        return f"{subject} is {text} {object}"
    if not verb:
        return f"{subject} has {text} {object}"
    return f"{subject} {'was ' if words[-1] == 'by' else ''}{text} {object}"


def _agreeing(words: Sequence[str], many: bool) -> str:
    plural = many and is_present(words[0]) and not is_past(words[0])
    return " ".join([_plural_form(words[0]) if plural else words[0], *words[1:]])


def plural(noun: str) -> str:
    """The plural of a lower-case noun: "countries", "crimes", "people" for "person"."""
    for one, several in IRREGULAR_PLURALS.items():
        if noun == one or noun.endswith(f" {one}"):
            return noun[: len(noun) - len(one)] + several
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _verb(words: Sequence[str], topic: str, reached: str, *, forward: bool) -> str:
    text = " ".join(words)
    passive = words[-1] == "by"
    if forward:
        who = topic or "they"
        auxiliary = ("was " if topic else "were ") if passive else ""
        if not topic and is_present(words[0]):
            text = " ".join([_plural_form(words[0]), *words[1:]])
        return f"{reached} that {who} {auxiliary}{text}" if reached else f"what {who} {auxiliary}{text}"
    if passive:
        return f"{reached or 'what was'} {text} {topic or 'them'}"
    return f"{reached + ' that' if reached else 'what'} {text} {topic or 'them'}"


def _noun(words: Sequence[str], topic: str, reached: str, *, forward: bool) -> str:
    text = " ".join(words)
    if forward:
        return f"{text} of {topic}" if topic else f"their {text}"
    start = f"{reached} with" if reached else "what has"
    return f"{start} {text} {topic}" if topic else f"{start} that {text}"
