"""A deterministic stand-in for a language model: splits questions whose path is known, reads answers off facts.

It knows no answer. For a question that it was given a relation path for, it writes one sub-question a hop; a
sub-question it answers with what the triples in the prompt say, and with nothing else. So what keeps a pipeline
below 100 % with it is the choice of triples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.model import Hop
from kgneo.questions import Question
from kgneo.stages.facts import one_line
from kgneo.stages.link import unbracket

Key = tuple[str, bool]

FILMS: Mapping[Key, str] = {
    ("directed_by", True): "Who directed the film {}?",
    ("starred_actors", True): "Who starred in the film {}?",
    ("written_by", True): "Who wrote the film {}?",
    ("has_genre", True): "Which genres does the film {} have?",
    ("in_language", True): "Which languages is the film {} in?",
    ("release_year", True): "In which year was the film {} released?",
    ("has_tags", True): "Which words describe the film {}?",
    ("has_imdb_rating", True): "What is the rating of the film {}?",
    ("has_imdb_votes", True): "How popular is the film {}?",
    ("directed_by", False): "Which films did {} direct?",
    ("starred_actors", False): "Which films did {} star in?",
    ("written_by", False): "Which films did {} write?",
    ("has_tags", False): "Which films can be described with {}?",
    ("has_genre", False): "Which films have the genre {}?",
    ("in_language", False): "Which films are in {}?",
    ("release_year", False): "Which films were released in {}?",
}
"""Sub-questions about MetaQA's relations, one for each way to walk them."""
REFERENCE = "those answers"
_COUNTED = re.compile(r"^and \d+ more$")


@dataclass
class StandIn:
    """Made from questions with their paths, and sub-questions by relation and direction."""

    questions: Iterable[Question]
    wordings: Mapping[Key, str] = field(default_factory=dict)
    paths: dict[str, tuple[Hop, ...]] = field(init=False)
    topics: dict[str, str] = field(init=False)
    near: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = [(unbracket(item.text)[0].strip(), item) for item in self.questions if item.path]
        self.paths = {text: item.path.hops for text, item in known if item.path}
        self.topics = {text: item.entities[0] for text, item in known}

    def model(self) -> ScriptedModel:
        """As a language model. One thread at a time."""
        return ScriptedModel(self, name="stand-in")

    def __call__(self, messages: Sequence[Message], parameters: Parameters) -> str:
        prompt = messages[-1].content
        reply: str = getattr(self, f"_{parameters.stage}")(prompt)
        return reply

    def _decompose(self, prompt: str) -> str:
        text = prompt.rpartition("Question: ")[2].strip()
        self.near = [self.topics[text]]
        hops = self.paths[text]
        if len(hops) == 1:
            return "Split: no\nReasoning: One fact answers this.\n<END>"
        lines = ["Split: yes", "Reasoning: " + ", then ".join(hop.relation.replace("_", " ") for hop in hops) + "."]
        for number, hop in enumerate(hops, start=1):
            about = self.topics[text] if number == 1 else REFERENCE
            lines.append(f"{number}. {self._wording(hop).format(about)}")
        return "\n".join([*lines, "<END>"])

    def _rewrite(self, prompt: str) -> str:
        question = re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[-1]
        names = re.findall(r"^   Answer: (.*)$", prompt, re.MULTILINE)[-1].split("; ")
        listed = ", ".join(names[:-1]) + " " * (len(names) > 1)
        last = names[-1] if len(names) == 1 or _COUNTED.match(names[-1]) else f"and {names[-1]}"
        return str(question.replace(REFERENCE, listed + last))

    def _answer(self, prompt: str) -> str:
        question = prompt.rpartition("Question: ")[2].removesuffix("Answer:").strip()
        if question in self.paths:
            self.near = [self.topics[question]]
        hop = self._hop_of(question)
        facts = re.split(r"^=+$", prompt, flags=re.MULTILINE)[1]
        found = list(dict.fromkeys(self._ends(facts.strip(), hop)))
        if found:
            self.near = found
        return "; ".join(f'"{name}"' if ";" in name else name for name in found) or "not in the graph"

    def _wording(self, hop: Hop) -> str:
        words = hop.relation.replace("_", " ")
        plain = f"What is reached from {{}} by {words}?" if hop.forward else f"What {words} {{}}?"
        return self.wordings.get((hop.relation, hop.forward), plain)

    def _hop_of(self, question: str) -> Hop:
        hops = {hop for path in self.paths.values() for hop in path}
        for hop in self.paths.get(question, sorted(hops, key=str)):
            start, _, end = self._wording(hop).partition("{}")
            if question in self.paths or (question.startswith(start) and question.endswith(end)):
                return hop
        raise AssertionError(f"no relation for {question!r}")

    def _ends(self, facts: str, hop: Hop) -> Iterable[str]:
        near = {_key(name) for name in self.near}
        for subject, object_ in read_facts(facts, hop.relation.replace("_", " ")):
            start, end = (subject, object_) if hop.forward else (object_, subject)
            if _key(start) in near:
                yield end

    def _synthesise(self, prompt: str) -> str:
        return str(re.findall(r"^   Answer: (.*)$", prompt, re.MULTILINE)[-1])


def _key(name: str) -> str:
    return one_line(name).replace('"', "'")


def read_facts(facts: str, relation: str) -> Iterable[tuple[str, str]]:
    """Subject and object of every fact of `relation`, from the list or the grouped form."""
    for line in facts.splitlines():
        between = f", {relation}, "
        if line.startswith("(") and between in line:
            subject, _, object_ = line[1:-1].partition(between)
            yield subject, object_
        elif line.startswith(f"{relation}: "):
            for entry in _split(line.removeprefix(f"{relation}: "), "; "):
                left, right = _split(entry, " → ")
                for subject in _split(left, ", "):
                    for object_ in _split(right, ", "):
                        yield subject.strip('"'), object_.strip('"')


def _split(text: str, separator: str) -> list[str]:
    """`text` at the separators that do not stand in quotes."""
    pieces, quoted, start, index = [], False, 0, 0
    while index < len(text):
        if text[index] == '"':
            quoted = not quoted
        if not quoted and text.startswith(separator, index):
            pieces.append(text[start:index])
            start = index = index + len(separator)
            continue
        index += 1
    return [*pieces, text[start:]]
