"""Whether topic entities are found in the text, and what it costs.

    KGNEO_METAQA=… NEO4J_URI=… python -m benchmarks.linking [QUESTIONS] [SEED]

`paths` on MetaQA's dev questions (300 a hop): with the entity in brackets; without brackets as written; in lower
case; and with one typing error in the name (a letter left out, doubled, or two exchanged; names of five letters
or more). For each: the share of questions whose entity is the first one, strict Hit@1, milliseconds of linking
(median, 95 %) and of the whole question. Reads only. Needs MetaQA indexed at NEO4J_URI, or builds it.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.common import indexed_metaqa, metaqa_folder, table
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.errors import EntityNotFound
from kgneo.matching import fold
from kgneo.questions import Question, reader, sample

HOPS = (1, 2, 3)


def bracketed(question: Question) -> str:
    """As the data set has it."""
    return question.text


def plain(question: Question) -> str:
    """Without the brackets."""
    return question.without_brackets().text


def lower(question: Question) -> str:
    """Without brackets and capitals."""
    return plain(question).lower()


def misspelt(question: Question) -> str:
    """Without brackets, with one typing error in the name, the same one every time."""
    name = question.entities[0]
    places = [place for place in range(1, len(name) - 1) if name[place].isalpha() and name[place + 1].isalpha()]
    if len(name) < 5 or not places:
        return plain(question)
    draw = random.Random(question.id)  # noqa: S311
    place = draw.choice(places)
    wrong = draw.choice(
        (
            name[:place] + name[place + 1 :],
            name[:place] + name[place] + name[place:],
            name[:place] + name[place + 1] + name[place] + name[place + 2 :],
        )
    )
    return question.text.replace(f"[{name}]", wrong, 1)


WAYS: tuple[tuple[str, Callable[[Question], str]], ...] = (
    ("in brackets", bracketed),
    ("without brackets", plain),
    ("in lower case", lower),
    ("typing error", misspelt),
)


@dataclass
class Measured:
    """What was found for the questions of one number of hops."""

    entity: list[bool] = field(default_factory=list)
    hit: list[bool] = field(default_factory=list)
    link: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    def add(self, context: Context, question: Question, text: str) -> None:
        """Ask one question."""
        start = time.perf_counter()
        try:
            answer = ask(context, text)
        except EntityNotFound:
            self.entity.append(False)
            self.hit.append(False)
            return
        self.whole.append((time.perf_counter() - start) * 1000)
        if "link" in answer.timings_ms:  # what asks for a way is answered before
            self.link.append(answer.timings_ms["link"])
        self.entity.append([topic.entity.name for topic in answer.entities][:1] == list(question.entities))
        gold = {fold(name) for name in question.answers}
        self.hit.append(bool(answer.answers) and fold(answer.answers[0]) in gold)

    def row(self) -> list[float | str]:
        """Entity right, Hit@1, milliseconds."""
        link = sorted(self.link)
        return [
            statistics.mean(self.entity),
            statistics.mean(self.hit),
            f"{statistics.median(link):.1f} / {link[int(0.95 * len(link))]:.1f}",
            f"{statistics.median(self.whole):.1f}",
        ]


def main(questions: int, seed: int) -> None:
    """Measure every way of writing the questions of every number of hops."""
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=HOPS)
    rows: list[list[object]] = []
    with indexed_metaqa() as graph:
        context = open_context(graph)
        for question in sample(dataset.parts[1], 20, seed=seed + 1):
            Measured().add(context, question, plain(question))
        for way, write in WAYS:
            for hops in HOPS:
                measured = Measured()
                for question in sample(dataset.parts[hops], questions, seed=seed):
                    measured.add(context, question, write(question))
                rows.append([way, hops, *measured.row()])
    table(("written", "hops", "entity right", "Hit@1", "linking ms (median / 95 %)", "question ms"), rows)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    main(arguments[0] if arguments else 300, arguments[1] if len(arguments) > 1 else 0)
