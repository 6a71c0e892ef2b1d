"""A claim's sentence cut into statements, each about two things.

Comes in: a declarative sentence, and where in it things are named. Goes out: the things that it speaks of, those
without a name among them ("somebody who …", "a film"), and its statements: "X, which was made by Y, stars Z" says
something of X and Y, and of X and Z. What a speaker puts around a claim ("yeah, I know that …") is left out, and a
negation is told by its statement. All of it rests on closed classes of English; there is no graph and no model in here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgneo.english.names import is_past
from kgneo.english.words import (
    ANYBODY,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    INDEFINITE,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVES,
    REQUESTS,
)

SOURCE = "\N{WHITE CIRCLE}"
"""Stands for a statement's source among its words."""
TARGET = "\N{BLACK CIRCLE}"
"""The same for its target."""
NOBODY = -1
"""In place of a target: the statement is about one thing alone."""
_FIRST_MARK = 0xE000
_TOKEN = re.compile(r"[\ue000-\uf8ff]|['’]s\b|[^\W_]+(?:['’](?:t|re|ve|ll|d|m)\b)?|[,;:()!?.]")
_LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:yeah|yes|yep|yup|well|oh|wow|hey|hi|no way|ok|okay|so|hmm|ah|really|actually|honestly|indeed|apparently|"
        r"sure|right|of course|in fact|true|obviously|also|besides|frankly|haha|lol|man|dude|cool|nice|great|no|i see|"
        r"interesting(?:ly)?|as far as i know|for sure|by the way|believe it or not)\b\s*[,.!?;:…-]+\s*",
        r"(?:yeah|yes|yep|well|oh|wow|hey|so|really|actually|apparently)\s+",
        r"(?:and\s+|but\s+)?(?:i|we)(?:['’]ve|['’]m|['’]d| have| am| was| do| had| just| also| once| did)*\s+"
        r"(?:already\s+)?(?:know|knew|think|thought|believe|heard|hear|understand|understood|read|learned|learnt|remember|recall|bet|"
        r"guess|suppose|say|said|told|found out|find|reckon|sure|certain|aware|assume|saw|feel|mean|am sure)"
        r"(?:\s+somewhere)?(?:\s+that\b)?\s*,?\s*",
        r"(?:i|we|you|my|our|did|do|have|had|were|are)\b[^\ue000-\uf8ff,]{0,60}?\bthat\s+",
        r"(?:as far as|from what|to my|according to|in my|if i)\b[^,\ue000-\uf8ff]{0,40},\s*",
        r"(?:did|do|have|had)\s+(?:you|u)\s+(?:also\s+|ever\s+)?(?:know|heard|hear|read|realise|realize|think|believe)"
        r"(?:\s+that\b)?\s*,?\s*",
        r"(?:were|are)\s+you\s+aware\s+(?:that\b)?\s*",
        r"(?:it\s+is|it['’]s|it\s+was)\s+(?:true|said|known|well known|a fact|the case|clear|certain|correct|believed|"
        r"reported)\s+that\s+",
        r"(?:they|people)\s+say\s+(?:that\s+)?",
        r"(?:you\s+know|the\s+fact\s+is|the\s+truth\s+is|at\s+least(?=\s*,)|i\s+mean)\b\s*(?:that\b|what\b)?\s*[,!?]?\s*",
    )
)
_DENIALS = re.compile(
    r"(?:it\s+is|it['’]s|it\s+was)\s+(?:not|never)\s+(?:true|the\s+case|a\s+fact|correct|right)\s+that\s+"
    r"|(?:it\s+is|it['’]s)\s+(?:false|untrue|wrong|a\s+lie|a\s+myth)\s+that\s+"
    r"|(?:it\s+isn['’]t|it\s+wasn['’]t)\s+(?:true|the\s+case|correct|right)\s+that\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]*\b(?:right|you know|is ?n['’]t it|was ?n['’]t it|does ?n['’]t it|did ?n['’]t (?:it|he|she|they)|"
    r"is ?n['’]t (?:he|she)|was ?n['’]t (?:he|she)|huh|too|as well|though|you see|i think|i believe|i guess|apparently|"
    r"by the way|correct|yeah|for sure|or so i heard)\s*[.!?…]*\s*$",
    re.IGNORECASE,
)
_SHORT = {"t": "not", "re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
_NEGATIONS = frozenset(("not", "never", "no", "without", "neither", "nor", "nobody", "none", "cannot"))
_NOT_NEGATING = frozenset(("only", "just", "doubt", "less", "more", "later", "earlier", "fewer"))
_JOINING = frozenset(("and", "or", ",", "both", "as", "well", "nor", "plus", "also", "&"))
_BOUNDARIES = frozenset((",", ";", ":", ".", "!", "?", "and", "but", "while", "whereas", "(", ")", "yet", "then"))
Item = str | int
"""A word, or the number of a thing."""
_OPEN, _CLOSE = "\x02", "\x03"
"""Around what is said of a thing in passing: "the director [of X]"."""
_NO_VERB = PREPOSITIONS | _BOUNDARIES | RELATIVES | {"'s", _OPEN, "or", "nor"}
_CALLED = frozenset(("of", "called", "named", "titled", "entitled"))
_ASKING_VERBS = frozenset(("is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could"))
"""Auxiliaries that begin questions."""
_KIND_LENGTH = 3
"""Words of a noun for a thing without a name, at most."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What a claim speaks of: the named thing number `mention`, or one without a name (-1) that is called `noun`."""

    mention: int = -1
    noun: str = ""

    @property
    def named(self) -> bool:
        """Whether it has a name."""
        return self.mention >= 0


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said of the thing `source` and the thing `target` (numbers of things; `NOBODY` for a statement about the
    source alone), in `words`, in which `SOURCE` and `TARGET` stand for the two.

    `others` are things that may be the source instead, with their words. `predicate` is the same for what is said under
    one verb: "was not built by X in Y".
    """

    source: int
    target: int
    words: tuple[str, ...]
    negated: bool = False
    predicate: int = 0
    others: tuple[tuple[int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """Things and statements; `denied`: the sentence says that all of it is false."""

    things: tuple[Thing, ...]
    statements: tuple[Statement, ...]
    denied: bool = False


def plain_claim(text: str) -> tuple[str, bool]:
    """A claim without what its speaker puts around it, and whether it says that the rest is false."""
    denied = False
    left = text.strip()
    while True:
        before = left
        match = _DENIALS.match(left)
        if match:
            denied, left = not denied, left[match.end() :]
        for lead in _LEADS:
            match = lead.match(left)
            if match and match.end() < len(left):
                left = left[match.end() :]
        left = _TAIL.sub("", left) or left
        if left == before:
            return left, denied


def claimed_piece(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The characters of a claim that are left without what its speaker puts around it; names stand at `spans`."""
    masked = _masked(text, spans)
    plain, _ = plain_claim(masked)
    start = masked.find(plain)
    return start, start + len(plain)


def asks(text: str, spans: Sequence[tuple[int, int]] = ()) -> bool:
    """Whether a text is a question, and claims nothing: it begins with a question word, with a verb before what it
    speaks of, or with a request; names stand at `spans`."""
    start, end = claimed_piece(text, spans)
    plain = _masked(text, spans)[start:end]
    written = [*_TOKEN.findall(plain), "", ""]
    first, second = (word.lower() for word in written[:2])
    if first in QUESTION_WORDS or (first in PREPOSITIONS and second in QUESTION_WORDS):
        return text.rstrip().endswith("?") or not written[1][:1].isupper()  # "What Women Want" is a title
    if first in REQUESTS:
        return second in FUNCTION_WORDS
    verb = first.partition("'")[0] if first.endswith(("n't", "n’t")) else first
    return {verb, verb.removesuffix("n")} & _ASKING_VERBS != set() and bool(second) and second not in PREPOSITIONS


def _masked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with its names covered, each character of it where it was."""
    for start, end in spans:
        text = text[:start] + chr(_FIRST_MARK) * (end - start) + text[end:]
    return text


def parse_claim(text: str, spans: Sequence[tuple[int, int]], *, definite: bool = True) -> ParsedClaim:
    """The statements of a claim; `spans` are the characters at which things are named, in any order. Without
    `definite`, "the director of X" is no thing of its own."""
    plain, denied = plain_claim(_with_marks(text, spans))
    items, things = _Things(_tokens(plain), definite=definite).found()
    return ParsedClaim(tuple(things), tuple(_Statements(items, things).found()), denied)


def _with_marks(text: str, spans: Sequence[tuple[int, int]]) -> str:
    text = re.sub("[\ue000-\uf8ff]", " ", text)
    for number, (start, end) in sorted(enumerate(spans), key=lambda item: -item[1][0]):
        text = f"{text[:start]} {chr(_FIRST_MARK + number)} {text[end:]}"
    return re.sub(r"\s+(['’]s\b)", r"\1", text).strip()


def _mention(token: str) -> int:
    """The number of a named thing, -1 for another token."""
    return ord(token) - _FIRST_MARK if len(token) == 1 and "\ue000" <= token <= "\uf8ff" else -1


def _tokens(text: str) -> list[str]:
    """Lower-case words and signs; "wasn't" as two words."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if _mention(token) >= 0:
            found.append(token)
            continue
        word = token.lower().replace("’", "'")
        base, mark, rest = word.partition("'")
        if mark and rest == "t":
            found += ["can" if base == "can" else base.removesuffix("n"), "not"]
        elif mark and base and rest in _SHORT:
            found += [base, _SHORT[rest]]
        else:
            found.append(word)
    while found and found[-1] in (".", "!", "?", ",", ";", ":"):
        found.pop()
    return found


@dataclass
class _Things:
    """Finds the things among the tokens of a claim."""

    tokens: list[str]
    definite: bool
    things: list[Thing] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    def found(self) -> tuple[list[Item], list[Thing]]:
        at = 0
        while at < len(self.tokens):
            at = self._take(at)
        return self.items, self.things

    def _add(self, thing: Thing) -> int:
        self.things.append(thing)
        return len(self.things) - 1

    def _take(self, at: int) -> int:
        word = self.tokens[at]
        if _mention(word) >= 0:
            end = self._possessed(at) if self.definite else None
            if end is not None:
                return end
            self.items.append(self._add(Thing(_mention(word))))
            return at + 1
        if word in ANYBODY:
            if word in ("nobody", "nothing"):
                self.items.append("not")
            self.items.append(self._add(Thing(noun="" if word.startswith(("some", "any", "no")) else word)))
            return at + 1
        if word in INDEFINITE | {"no"} and (end := self._indefinite(at)) is not None:
            return end
        if self.definite and word == "the" and (end := self._described(at)) is not None:
            return end
        self.items.append(word)
        return at + 1

    def _before(self, at: int) -> str:
        """The word before `at`, adverbs left out."""
        before = [word for word in self.tokens[:at] if word not in ("not", "never", "also", "only")]
        return before[-1] if before else ""

    def _noun(self, at: int) -> int:
        """Where the noun that begins at `at` ends; `at` where there is none."""
        end = at
        while end < len(self.tokens) and end - at < _KIND_LENGTH:
            word = self.tokens[end]
            verb = end > at and (is_past(word) or word.endswith("ing"))
            if _mention(word) >= 0 or word in FUNCTION_WORDS or not word[0].isalnum() or verb:
                break
            end += 1
        return end

    def _indefinite(self, at: int) -> int | None:
        """A thing without a name: "a film", where it is not what something is ("is a film") or is called."""
        end = self._noun(at + 1)
        there = at > 1 and self.tokens[at - 2] == "there"
        if end == at + 1 or (self._before(at) in COPULAS and not there):
            return None
        following = self.tokens[end] if end < len(self.tokens) else ""
        if following in _CALLED or _mention(following) >= 0:
            return None
        if self.tokens[at] == "no":
            self.items.append("not")
        self.items.append(self._add(Thing(noun=" ".join(self.tokens[at + 1 : end]))))
        return end

    def _described(self, at: int) -> int | None:
        """A thing that is told by its relation to a named one: "the director of X", where that is not what something
        else is or has as its name."""
        end = self._noun(at + 1)
        if end == at + 1 or end + 1 >= len(self.tokens) or self.tokens[end] not in ("of", "in", "for", "by"):
            return None
        after = end + 2 if self.tokens[end + 1] == "the" else end + 1
        if after >= len(self.tokens) or _mention(self.tokens[after]) < 0 or self._names(at, after + 1):
            return None
        self._describe(self.tokens[at + 1 : end], self.tokens[end], _mention(self.tokens[after]))
        return after + 1

    def _possessed(self, at: int) -> int | None:
        """The same for "X's director"."""
        if at + 2 >= len(self.tokens) or self.tokens[at + 1] != "'s":
            return None
        end = self._noun(at + 2)
        if end == at + 2 or self._names(at, end):
            return None
        self._describe(self.tokens[at + 2 : end], "of", _mention(self.tokens[at]))
        return end

    def _names(self, start: int, end: int) -> bool:
        """Whether the words say what a named thing is: "the director of X IS Y", "Y is THE DIRECTOR OF X"."""
        before = [word for word in self.tokens[max(start - 3, 0) : start] if word not in ("not", "also", "one", "the")]
        if before and before[-1] in COPULAS and any(_mention(word) >= 0 for word in self.tokens[:start]):
            return True
        following = [word for word in self.tokens[end : end + 4] if word not in ("not", "also")]
        if len(following) < 2:
            return not start
        return following[0] in COPULAS and (_mention(following[1]) >= 0 or following[1] in _CALLED | {"a", "an", "the"})

    def _describe(self, noun: Sequence[str], preposition: str, mention: int) -> None:
        thing = self._add(Thing(noun=" ".join(noun)))
        self.items += [thing, _OPEN, *noun, preposition, self._add(Thing(mention)), _CLOSE]


@dataclass
class _Statements:
    """Cuts a claim's words and things into statements, from left to right."""

    items: list[Item]
    things: list[Thing]
    made: list[Statement] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
    subjects: list[int] = field(default_factory=list)
    relative: int = -1
    last: int = -1
    verb: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    predicates: int = 0

    def found(self) -> list[Statement]:
        at = 0
        while at < len(self.items):
            item = self.items[at]
            if item == _OPEN:
                end = self.items.index(_CLOSE, at)
                self._in_passing(self.items[at + 1 : end])
                at = end + 1
                continue
            if isinstance(item, int):
                self._thing(item, self.items[at + 1 : at + 2])
            else:
                self.words.append(item)
            at += 1
        self._end()
        return [self._plain(item) for item in self.made]

    def _in_passing(self, items: Sequence[Item]) -> None:
        *words, target = items
        assert isinstance(target, int)
        said = tuple(str(word) for word in words)
        self.predicates += 1
        self.made.append(Statement(self.last, target, (SOURCE, "is", *said, TARGET), predicate=self.predicates))

    def _thing(self, thing: int, following: Sequence[Item]) -> None:
        words, self.words = self.words, []
        verb = bool(following) and isinstance(following[0], str) and following[0] not in _NO_VERB
        self.last = self._placed(words, thing, verb=verb)

    def _placed(self, words: list[str], thing: int, *, verb: bool) -> int:
        """Take a thing with the words before it; `verb`: words follow that it may be the subject of. Returns the thing
        that is spoken of now."""
        said = bool(self.made) and self.made[-1].target == self.last
        if not self.subjects:
            self.subjects, self.lead = [thing], [word for word in words if word not in AUXILIARIES | _BOUNDARIES]
        elif verb and not self.made and self.lead and words == [","]:
            self._fronted(thing)
        elif verb and said and words and not set(words) - _BOUNDARIES - {"where", "when"}:
            self.subjects, self.relative = [thing], -1  # a sentence of its own
        elif verb and words and words[-1] in RELATIVES and not set(words) - _BOUNDARIES - RELATIVES:
            self.predicates += 1
            self.made.append(Statement(thing, self.last, (SOURCE, TARGET), predicate=self.predicates))
            return self.last
        elif words and not set(words) - _JOINING:
            self._joined(thing)
        else:
            self._said(words, thing)
        return thing

    def _fronted(self, thing: int) -> None:
        """The subject behind what is said of it: "born in X, Y …"."""
        (before,), said = self.subjects, self.lead
        self.predicates += 1
        self.made.append(Statement(thing, before, (SOURCE, *said, TARGET), predicate=self.predicates))
        self.subjects, self.lead = [thing], []

    def _joined(self, thing: int) -> None:
        """One more subject, or one more thing of which the same is said as of the last."""
        if not self.made or (self.made[-1].target != self.last):
            self.subjects.append(thing)
            return
        same = [item for item in self.made if item.target == self.last]
        self.made += [replace(item, target=thing) for item in same]

    def _said(self, words: Sequence[str], thing: int) -> None:
        before, boundary, after = _cut(words)
        if before and self.made and self.made[-1].target == self.last:
            said = self.made[-1]
            if boundary or before[0] == "'s":
                self.made[-1] = _with_words(said, before)
            else:
                self._more(before, thing)
                return
        elif not boundary:
            self._emit(self._sources(), before, thing)
            return
        else:
            self.verb = list(before)
        self._new(boundary, after, thing)

    def _sources(self) -> list[int]:
        return [self.relative] if self.relative >= 0 else list(self.subjects)

    def _more(self, words: Sequence[str], thing: int) -> None:
        """Words behind an object without a boundary: said of what was last spoken of, or under the same verb."""
        unnamed = not self.things[self.last].named
        if unnamed:
            self._emit([self.last], words, thing, others=self._under_verb(words))
            return
        if set(words) <= FUNCTION_WORDS - AUXILIARIES and set(words) & PREPOSITIONS:
            verb = [*self.verb, *words]
            self._emit(self._sources(), verb, thing, others=[(self.last, words)], same=True)
            return
        self._emit(self._sources(), words, thing, others=[(self.last, words)])

    def _under_verb(self, words: Sequence[str]) -> list[tuple[int, Sequence[str]]]:
        return [(source, [*self.verb, *words]) for source in self._sources() if source != self.last]

    def _new(self, boundary: Sequence[str], words: Sequence[str], thing: int) -> None:
        """A new predicate behind "and", "which" or a comma."""
        main = list(self.subjects)
        pronoun = next((word for word in boundary if word in RELATIVES), "")
        if pronoun:
            self.relative = self.last
            self._emit([self.last], words, thing, others=[(item, words) for item in main if item != self.last])
            return
        inner, self.relative = self.relative, -1
        if inner >= 0 and "," not in boundary:
            self._emit([inner], words, thing, others=[(item, words) for item in main if item != inner])
            self.relative = inner
            return
        others = [item for item in (inner, self.last) if item >= 0 and item not in main]
        if not set(words) - PREPOSITIONS - {"not", "the", "also"}:
            words = [*self.verb, *words]
        self._emit(main, words, thing, others=[(item, words) for item in dict.fromkeys(others)])

    def _emit(
        self,
        sources: Sequence[int],
        words: Sequence[str],
        thing: int,
        *,
        others: Sequence[tuple[int, Sequence[str]]] = (),
        same: bool = False,
    ) -> None:
        if not same:
            self.predicates += 1
            self.verb = list(words)
        lead, self.lead = self.lead, []
        for source in sources:
            text = (*lead, SOURCE, *words, TARGET)
            alternatives = tuple((other, (SOURCE, *said, TARGET)) for other, said in others if other != source)
            self.made.append(Statement(source, thing, text, predicate=self.predicates, others=alternatives))

    def _end(self) -> None:
        """Words behind the last thing."""
        words, self.words = self.words, []
        before, boundary, after = _cut(words)
        telling = [word for word in before if word not in _BOUNDARIES]
        if self.made and self.made[-1].target == self.last:
            if telling:
                self.made[-1] = _with_words(self.made[-1], telling)
            self._alone(self.subjects[:1], after if boundary else [])
        elif len(self.subjects) > 1 and telling:
            self.predicates += 1
            first, *rest = self.subjects
            said = [Statement(first, other, (SOURCE, "and", TARGET, *telling), predicate=1) for other in rest]
            self.made += said
        elif self.last >= 0:
            alone = [self.last] if self.made else self.subjects[:1]
            self._alone(alone, [*telling, *after])
            if not telling and not after and self.subjects == [self.last] and not self.made:
                self._alone(alone, [] if set(self.lead) - FUNCTION_WORDS else ["exists"])

    def _alone(self, sources: Sequence[int], words: Sequence[str]) -> None:
        """A statement about one thing."""
        if not any(word not in FUNCTION_WORDS for word in (*self.lead, *words)):
            return
        self.predicates += 1
        for source in sources:
            text = (*self.lead, SOURCE, *words)
            self.made.append(Statement(source, NOBODY, text, predicate=self.predicates))

    def _plain(self, item: Statement) -> Statement:
        """The statement without its negation, which is told apart."""
        words, negated = _without_negation(item.words)
        others = tuple((other, _without_negation(said)[0]) for other, said in item.others)
        return replace(item, words=words, negated=negated, others=others)


def _with_words(item: Statement, words: Sequence[str]) -> Statement:
    """The statement with words that follow it, or that are its verb."""
    if item.words == (SOURCE, TARGET):
        return replace(item, words=(SOURCE, *words, TARGET))
    return replace(item, words=(*item.words, *words))


def _cut(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The words before a boundary, the words of it, and those behind; of several boundaries the last counts."""
    found = list(_boundaries(words))
    if not found:
        return list(words), [], []
    start, end = found[-1]
    kept = [word for word in words[:start] if word not in _BOUNDARIES]
    return kept, list(words[start:end]), list(words[end:])


def _boundaries(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words stand that begin a new predicate."""
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end] in _BOUNDARIES | RELATIVES:
            end += 1
        if end > at and (words[at] != "that" or at == 0 or end > at + 1):
            yield at, end
        at = max(end, at + 1)


def _without_negation(words: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    kept: list[str] = []
    times = 0
    for number, word in enumerate(words):
        following = words[number + 1] if number + 1 < len(words) else ""
        if word in _NEGATIONS and following not in _NOT_NEGATING:
            times += word != "nor" or not times
        else:
            kept.append(word)
    return tuple(kept), times % 2 == 1
