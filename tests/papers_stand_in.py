"""The deterministic stand-in in the roles of the other papers' systems: it chooses relations along the gold path of a
question that it was told, reads answers off facts in any form, and says yes to an answer that follows that path.

As `pipeline_stand_in`, it knows no answer: what keeps a system below 100 % with it is what the system shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgneo.english.names import statement_wording
from kgneo.llm import Message, Parameters
from kgneo.model import Hop
from kgneo.stages.facts import one_line
from tests.pipeline_stand_in import REFERENCE, StandIn, _key, _split, read_facts

OTHER_WORDS = " (in other words: {})"
"""What a variant of a question ends with."""
_VARIANT = re.compile(r" \(in other words: \d+\)$")
_WALKED = re.compile(r"^Walked so far: (.*)\.$", re.MULTILINE)


@dataclass
class PaperStandIn(StandIn):
    """Plays every role. `unsure` gives, by question and number of the hop (0-based), what is said in place of the gold
    relation; `stages` are those that it was asked in."""

    unsure: Mapping[tuple[str, int], str] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)
    keep: int = 1

    def __call__(self, messages: Sequence[Message], parameters: Parameters) -> str:
        self.stages.append(parameters.stage)
        asked = re.search(r"at most (\d+)", messages[0].content)
        self.keep = int(asked[1]) if asked else 1
        return super().__call__(messages, parameters)

    def _query_graph(self, prompt: str) -> str:  # noqa: ARG002 - whatever the prompt says
        """It writes no queries: they are none of the walks that it plays."""
        return "{}"

    def _similar(self, prompt: str) -> str:
        text = _after(prompt, "Question: ").split("\n")[0]
        return "\n".join(f"{number}. {text}{OTHER_WORDS.format(number)}" for number in range(1, 5))

    def _relations(self, prompt: str) -> str:
        text = _after(prompt, "Question: ").split("\n")[0]
        text = _VARIANT.sub("", text)
        walked = _WALKED.findall(prompt)
        number = len(walked[-1].split(", then ")) if walked else 0
        if (text, number) in self.unsure and "There is no relation" not in prompt:
            return self.unsure[text, number]
        hops = self._hops(text)
        if text not in self.paths:
            return self._with_others(str(hops[0]), prompt)
        return self._with_others(str(hops[number]), prompt) if number < len(hops) else "none"

    def _with_others(self, name: str, prompt: str) -> str:
        """A relation and, where several may be named, the next ones of the list."""
        lines = _after(prompt, "Relations:\n").splitlines()
        others = [line.split(": ")[0] for line in lines[: lines.index("")]]
        return "\n".join([name, *[other for other in others if other != name]][: self.keep])

    def _entities(self, prompt: str) -> str:
        """All, as soon as the gold path has been walked."""
        walked = _WALKED.findall(prompt)
        text = _after(prompt, "Question: ").removesuffix("Answer:").strip()
        return "all" if len(walked[-1].split(", then ")) == len(self.paths[text]) else "none"

    def _answer_alone(self, _: str) -> str:
        return "unknown"

    def _understand(self, prompt: str) -> str:
        text = _after(prompt, "Question: ")
        last = self.paths[text][-1].relation.replace("_", " ")
        return f"Entities: {self.topics[text]}\nWords: {last}\nIntent: find {last}\nContext: {last}\nConstraints: none"

    def _align(self, prompt: str) -> str:
        text = _after(prompt, "Question: ").removesuffix("Fits:").strip()
        path = "/".join(map(str, self.paths[text]))
        return "yes" if f"Found by: {path}\n" in prompt else "no, other relations"

    def _decouple(self, prompt: str) -> str:
        text = _after(prompt, "Question: ")
        lines = []
        for number, hop in enumerate(self.paths[text], start=1):
            about = self.topics[text] if number == 1 else REFERENCE
            wording = self._wording(hop).format(about)
            lines.append(f"{number}. {wording} | {about if number == 1 else f'({number - 1})'}")
        return "\n".join(lines)

    def _reconstruct(self, prompt: str) -> str:
        return re.split(r"^=+$", prompt, flags=re.MULTILINE)[1].strip()

    def _infer(self, prompt: str) -> str:
        return self._answer(prompt)

    def _hops(self, text: str) -> tuple[Hop, ...]:
        """The gold path of a whole question, or the hop of a sub-question that this stand-in has worded."""
        return self.paths[text] if text in self.paths else (self._hop_of(text),)

    def _answer(self, prompt: str) -> str:
        question = _after(prompt, "Question: ").removesuffix("Answer:").strip()
        facts = re.split(r"^=+$", prompt, flags=re.MULTILINE)[1].strip()
        if question not in self.paths:
            return super()._answer(prompt)
        found = list(self.ends(facts, question))
        return "; ".join(f'"{name}"' if ";" in name else name for name in found) or "not in the graph"

    def ends(self, facts: str, question: str) -> Iterable[str]:
        """Where the gold path ends in these facts; a walk does not come back to where it began."""
        topic = _key(self.topics[question])
        near = {topic}
        names: dict[str, str] = {}
        for hop in self.paths[question]:
            names = {}
            for subject, object_ in read_any(facts, hop.relation):
                start, end = (subject, object_) if hop.forward else (object_, subject)
                if _key(start) in near and _key(end) != topic:
                    names.setdefault(_key(end), end)
            near = set(names)
        return names.values()


def _after(prompt: str, mark: str) -> str:
    return prompt.rpartition(mark)[2].strip()


def read_any(facts: str, relation: str) -> Iterable[tuple[str, str]]:
    """Subject and object of every fact of `relation`, in any of the forms of `kgneo.stages.facts`."""
    yield from read_facts(facts, relation.replace("_", " "))
    between = statement_wording(one_line(relation), "\0", "\1").strip("\0\1")
    several = between.replace(" has ", " have ").replace(" was ", " were ")
    for line in facts.splitlines():
        for middle in dict.fromkeys((between, several)):
            pieces = _split(line.removesuffix("."), middle)
            if len(pieces) == 2:
                for subject in _split(pieces[0], ", "):
                    for object_ in _split(pieces[1], ", "):
                        yield subject.strip('"'), object_.strip('"')
