"""Translate: a question in German or Spanish with English words for those that say how something is asked.

Comes in: a question. Goes out: the same with English phrases in the place of its own, and in the order that English has
where that is another: "das Alter der Kunden, die in Kiel wohnen" is "the Alter of the Kunden that live in Kiel". Its
other words stay: they are names, or words for something in the graph, which its terms tell. So does what stands in
[brackets] or quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kgneo.languages.language import Language, languages
from kgneo.languages.tell import language_of

TOKEN = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|“[^”]*”|«[^»]*»|[^\W_]+(?:[-'’.][^\W_]+)*|\S")


def in_english(question: str) -> str:
    """A question in a language that is read, in English words; any other as it is."""
    name = language_of(question)
    language = next((item for item in languages() if item.name == name), None)
    return question if language is None else " ".join(_Translation(language, question).words()) + "?"


@dataclass
class _Translation:
    language: Language
    question: str
    out: list[str] = field(default_factory=list)
    nouns: set[int] = field(default_factory=set)
    """Where, among the words that go out, nouns stand: those that were not translated, and "number" and its like."""
    clause: int = -1
    """Where the clause began that a "that" begins; -1 outside one."""

    def words(self) -> list[str]:
        """The English words."""
        tokens = TOKEN.findall(self.question.strip(" ¿¡?!."))
        at = 0
        while at < len(tokens):
            at = self._step(tokens, at)
        self._end_clause(tokens[-1] if tokens else "")
        return self.out

    def _step(self, tokens: list[str], at: int) -> int:
        """Put out what begins at a token; where the next begins."""
        if tokens[at] in ",;":
            self._end_clause(tokens[at - 1] if at else "")
            end, english = self._phrase(tokens, at + 1, self.language.after_comma)
            if english:
                self.clause = len(self.out)
                self.out += english.split()
                return end
            self.out[-1:] = [self.out[-1] + tokens[at]] if self.out else []
            return at + 1
        for table, place in self._tables():
            end, english = self._phrase(tokens, at, table)
            if end > at:
                self.out[place:place] = english.split()
                if tokens[end - 1].lower() in self.language.nouns:
                    self.nouns.add(len(self.out) - 1)
                return end
        self.nouns.add(len(self.out))
        self.out.append(tokens[at])
        return at + 1

    def _tables(self) -> Iterator[tuple[Mapping[str, str], int]]:
        """What may be looked up here, each with the place where its English goes."""
        end = len(self.out)
        if end - 1 in self.nouns:
            yield self.language.behind, end - 1
            yield self.language.after_noun, end
        yield self.language.words, end

    def _phrase(self, tokens: list[str], at: int, table: Mapping[str, str]) -> tuple[int, str]:
        """The longest phrase of a table that begins at a token: where it ends, and its English."""
        for length in range(self.language.longest, 0, -1):
            piece = tokens[at : at + length]
            phrase = " ".join(piece).lower()
            if len(piece) == length and phrase in table and self._may_be(piece, at):
                return at + length, table[phrase]
        return at, ""

    def _may_be(self, piece: list[str], at: int) -> bool:
        """Whether words may be those of a phrase, and no name."""
        return at == 0 or all(word.islower() or word.lower() in self.language.nouns for word in piece)

    def _end_clause(self, last: str) -> None:
        """Put the verb that ends a clause behind the word that begins it."""
        if self.clause >= 0 and last.lower() in self.language.verbs and len(self.out) > self.clause + 2:
            self.out.insert(self.clause + 1, self.out.pop())
        self.clause = -1
