"""One question on its way through `kg-rag`, stage by stage, as docs/kg-rag-transcript.md shows it.

    KGNEO_METAQA=… NEO4J_URI=… python -m benchmarks.transcript ["QUESTION"] > docs/kg-rag-transcript.md

The language model is the stand-in of `benchmarks.selection`: it splits along the gold path and reads answers off
the triples of the prompt. All else is what any model would get.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.common import metaqa_folder
from benchmarks.selection import graph
from kgneo.asking.question import ask, open_context
from kgneo.context import Options
from kgneo.graph.candidates import Reach, count_candidates
from kgneo.llm import Completion, Message, Parameters, ScriptedModel
from kgneo.model import Answer
from kgneo.questions import reader
from kgneo.stages.link import link
from tests.pipeline_stand_in import FILMS, StandIn

QUESTION = "who wrote movies that share directors with the movie [The Cameraman]"
HOPS = 3
SHOWN = 8


class Recorded(ScriptedModel):
    """Keeps replies beside the chats."""

    def __init__(self, stand_in: StandIn) -> None:
        super().__init__(stand_in, name="stand-in")
        self.replies: list[str] = []

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        completion = super().complete(messages, parameters, on_text=on_text)
        self.replies.append(completion.text)
        return completion


def main(text: str) -> None:
    """Print the transcript of one dev question."""
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=[HOPS])
    questions = [question for question in dataset.parts[HOPS] if question.text == text]
    if not questions:
        sys.exit(f"{text!r} is not among the {HOPS}-hop dev questions.")
    model = Recorded(StandIn(questions, FILMS))
    with graph() as connected:
        context = replace(open_context(connected), model=model, options=Options(seed=0))
        linked = link(context.knowledge, text)
        counts = count_candidates(context.knowledge, Reach(linked.entity_ids, HOPS))
        answer = ask(context, text)
    print(f"# A question of three hops through `kg-rag`\n\n> {text}\n")
    print("Printed by `python -m benchmarks.transcript`. The language model is a deterministic stand-in that reads")
    print("answers off the triples it is shown; prompts are those that any model gets. Above each user message stand")
    print("the instructions of the prompt's file, which are left out here.\n")
    topic = linked.topics[0].entity
    print(f"**Link.** Topic entity: {topic.name} ({', '.join(topic.labels)}).\n")
    reached = ", ".join(f"{count:,} at hop {hop}" for hop, count in enumerate(counts, start=1))
    print(f"**Candidates.** Triples within {HOPS} hops, both ways: {reached}.\n")
    for (messages, parameters), reply in zip(model.calls, model.replies, strict=True):
        print(f"## {parameters.stage.capitalize()} (`kgneo/prompts/{parameters.stage}.txt`)\n")
        print(f"```\n{messages[-1].content}\n```\n\nReply:\n\n```\n{reply}\n```\n")
    _print_answer(answer, set(questions[0].answers))


def _print_answer(answer: Answer, gold: set[str]) -> None:
    print("## Answer\n")
    print(f"- names in the graph: {'; '.join(answer.answers)}")
    print(
        f"- grounded: {answer.grounded}; the data set's answers: {'the same' if set(answer.answers) == gold else gold}"
    )
    if answer.llm:
        print(f"- {answer.llm.calls} calls of the language model")
    print(f"- evidence, {len(answer.evidence)} triples:")
    for number, step in enumerate(answer.steps, start=1):
        for item in step.evidence[:SHOWN]:
            triple = item.triple
            print(f"  - step {number}, hop {item.hop}: ({triple.subject}, {triple.relation}, {triple.object})")
        if len(step.evidence) > SHOWN:
            print(f"  - step {number}: … and {len(step.evidence) - SHOWN} more")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else QUESTION)
