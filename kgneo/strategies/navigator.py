"""`navigator`: the model chooses the way through the graph, hop by hop (KnowledgeNavigator).

link → predict the number of hops → put the question into other words → for each hop: offer relations, vote, expand →
answer from the triples, in sentences → ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kgneo.context import Context
from kgneo.errors import BudgetSpent, UsageError
from kgneo.model import Answer
from kgneo.stages.answer import answer_from_facts
from kgneo.stages.hop_number import predict_hops
from kgneo.stages.recall import similar_examples, write_examples
from kgneo.stages.relations import Asking, Choice, choose, nearest_offers, vote
from kgneo.stages.similar import similar_questions
from kgneo.strategies.protocol import Needs
from kgneo.strategies.walk import Walk

ORIGINAL_WEIGHT = 2.0
"""What the question itself counts in the vote; a variant counts 1 (KnowledgeNavigator equation 4)."""
MOST_VARIANTS = 4


@dataclass(frozen=True, slots=True)
class NavigatorOptions:
    """`variants` of the question that vote beside it (0 to 4), relations that each names (`choose_best`, the paper's K)
    and that a hop follows (`follow_best`, its M), how triples are written for the answer (`facts`), learned questions
    shown with each choice (`shots`), and how often a name that is not there is sent back (`retries`)."""

    variants: int = 2
    choose_best: int = 1
    follow_best: int = 1
    facts: Literal["list", "groups", "sentences", "joined-sentences"] = "joined-sentences"
    shots: int = 2
    retries: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.variants <= MOST_VARIANTS:
            raise UsageError(f"variants is {self.variants}, expected 0 to {MOST_VARIANTS}.")
        if min(self.choose_best, self.follow_best) < 1:
            raise UsageError("choose_best and follow_best are at least 1.")


@dataclass(frozen=True, slots=True)
class Navigator:
    """KnowledgeNavigator: the model votes on the relations of each hop, and answers from sentences."""

    options: NavigatorOptions = field(default_factory=NavigatorOptions)
    name: ClassVar[str] = "navigator"
    needs: ClassVar[Needs] = Needs(model=True)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, UsageError without a language model, and ModelError."""
        walk = Walk.begin(self.name, question, context, entities)
        try:
            self._navigate(walk)
            reply = answer_from_facts(walk.text, walk.selection(self.options.facts), walk.calls, on_text=walk.stream)
        except BudgetSpent as error:
            return walk.spent(error)
        return walk.grounded(reply)

    def _navigate(self, walk: Walk) -> None:
        """Walk as many hops as are predicted, or until the model says that it is there."""
        with walk.clock.stage("hop_number"):
            hops = predict_hops(walk.context, walk.linked)
        walk.tell("hop_number", hops, f"{hops} hop{'s' if hops > 1 else ''} expected")
        variants = similar_questions(walk.text, walk.linked.names, self.options.variants, walk.calls)
        examples = write_examples(similar_examples(walk.context, walk.linked, limit=self.options.shots))
        for _ in range(hops):
            choice = self._choice(walk, (walk.text, *variants), examples)
            if not choice.hops or not walk.go(choice.hops).reached:
                return

    def _choice(self, walk: Walk, texts: Sequence[str], examples: str) -> Choice:
        """What the question and its variants vote for; the relation most like the question where they name none that
        is there."""
        options, offers = self.options, walk.offers()
        asking = Asking(
            options.choose_best,
            options.retries,
            walk.notes(),
            examples,
            examples_at_once=True,
            may_stop=bool(walk.walked),
        )
        choices = [
            (
                choose(text, walk.frontier, offers, walk.calls, walk.context.encoder, asking),
                1.0 if number else ORIGINAL_WEIGHT,
            )
            for number, text in enumerate(texts)
        ]
        chosen = vote(choices, keep=options.follow_best)
        if chosen.hops or chosen.stop or not offers:
            return chosen
        return Choice((nearest_offers(walk.text, offers, walk.context.encoder)[0].hop,))
