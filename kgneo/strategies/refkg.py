"""`refkg`: sub-queries of one hop, their evidence pruned and put into text, one inference over all of it (RefKG).

link → decouple → for each sub-query: offer relations, expand along the top k, prune → reconstruct → infer → ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kgneo.context import Context
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import BudgetSpent, ContextOverflow, UsageError
from kgneo.events import StageEvent
from kgneo.model import Answer, Candidate, Hop
from kgneo.stages.answer import FACTS_TOKENS, NO_FACTS, PARAMETERS, Reply
from kgneo.stages.decouple import SubQuery, decouple
from kgneo.stages.expand import Expansion
from kgneo.stages.facts import one_line
from kgneo.stages.ground import NOT_FOUND
from kgneo.stages.prune import THRESHOLD, EncoderExpert, Expert, RankingExpert, prune
from kgneo.stages.reached import Reached
from kgneo.stages.reconstruct import reconstruct
from kgneo.stages.relations import Asking, choose
from kgneo.strategies.protocol import Needs
from kgneo.strategies.walk import Walk


@dataclass(frozen=True, slots=True)
class RefkgOptions:
    """`top_relations` that a hop takes (the paper's k: 2 or 5), the score from which one is kept (`threshold`, the
    paper's alpha; 0 keeps all), whether the model writes the evidence as text (`rewrite`, else a template), how often a
    relation that is not there is sent back (`retries`), and the encoder that scores relations (`expert`: what
    `kgneo tune encoder` made; empty: the ranking of paths)."""

    top_relations: int = 2
    threshold: float = THRESHOLD
    rewrite: bool = True
    retries: int = 1
    expert: str = ""

    def __post_init__(self) -> None:
        if self.top_relations < 1 or not 0 <= self.threshold <= 1:
            raise UsageError("top_relations is at least 1, and threshold between 0 and 1.")


@dataclass(frozen=True, slots=True)
class Refkg:
    """RefKG: evidence for sub-queries of one hop, pruned and put into text, one inference over all of it."""

    options: RefkgOptions = field(default_factory=RefkgOptions)
    name: ClassVar[str] = "refkg"
    needs: ClassVar[Needs] = Needs(model=True)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, UsageError without a language model, ModelError, and EncoderError for an expert that
        cannot be had."""
        walk = Walk.begin(self.name, question, context, entities)
        try:
            queries = decouple(walk.text, walk.linked.names, walk.calls)
            listed = " / ".join(query.text for query in queries)
            context.on_event(StageEvent("decouple", "done", total=len(queries), text=listed))
            parts = self._evidence(walk, queries)
            reply = self._inferred(walk, queries, parts)
        except BudgetSpent as error:
            return walk.spent(error)
        return walk.grounded(reply)

    def _evidence(self, walk: Walk, queries: Sequence[SubQuery]) -> list[tuple[Candidate, ...]]:
        """The pruned triples of each sub-query."""
        reached: list[tuple[Reached, ...]] = []
        parts: list[tuple[Candidate, ...]] = []
        worth: dict[str, float] = {}
        expert = self._expert(walk.context)
        for query in queries:
            at_hand = [topic for topic in walk.topics if topic.name in query.entities]
            at_hand += [entity for number in query.earlier for entity in reached[number]]
            walk.start(tuple({entity.id: entity for entity in at_hand}.values()))
            asking = Asking(self.options.top_relations, self.options.retries, walk.notes(), may_stop=bool(walk.walked))
            choice = choose(query.text, walk.frontier, walk.offers(), walk.calls, walk.context.encoder, asking)
            with walk.clock.stage("prune"):
                scores = dict(expert.scores(query.text, walk.frontier, choice.hops))
            if not expert.trained:
                scores |= dict.fromkeys(choice.hops[:1], 1.0)
            ways = prune(scores, walk.frontier, worth, threshold=self.options.threshold)
            found = walk.go(tuple(ways), ways) if ways else Expansion()
            _spread(worth, scores, ways, found.candidates)
            parts.append(found.candidates)
            reached.append(found.reached)
        return parts

    def _expert(self, context: Context) -> Expert:
        """What scores relations; an encoder is loaded once for all questions."""
        if not self.options.expert:
            return RankingExpert(context)
        key = f"expert {self.options.expert}"
        found = context.memory.get(key)
        if not isinstance(found, EncoderExpert):
            found = EncoderExpert(load_encoder(self.options.expert), context.record.statistics.readable_names)
            context.memory[key] = found
        return found

    def _inferred(self, walk: Walk, queries: Sequence[SubQuery], parts: Sequence[Sequence[Candidate]]) -> Reply:
        """The model's answer from the text of all parts; without any triple it is not asked."""
        if not any(parts):
            return Reply(NOT_FOUND)
        room = walk.calls.room("infer", PARAMETERS, question=walk.text)
        tokens = (FACTS_TOKENS if room is None else min(room, FACTS_TOKENS)) // len(parts)
        texts: list[str] = []
        shown: list[Candidate] = []
        for query, part in zip(queries, parts, strict=True):
            selection = walk.selection("joined-sentences", part)
            text, kept = reconstruct(query.text, selection, walk.calls, by_model=self.options.rewrite, tokens=tokens)
            texts.append(f"{one_line(query.text)}\n{text or NO_FACTS}")
            shown += kept
        variables = {"evidence": "\n\n".join(texts), "question": walk.text}
        try:
            completion = walk.calls.complete("infer", PARAMETERS, walk.stream, **variables)
        except ContextOverflow as error:
            walk.calls.warn(f"The evidence did not fit into the prompt: {error.message}.")
            return Reply(NOT_FOUND)
        return Reply(completion.text, tuple(shown), completion.finish_reason == "length")


def _spread(
    worth: dict[str, float],
    scores: Mapping[Hop, float],
    ways: Mapping[Hop, Sequence[Reached]],
    candidates: Sequence[Candidate],
) -> None:
    """Give what was reached the worth of the best way that led there."""
    begun = dict(worth)
    near = {(hop.relation, entity.id): scores[hop] for hop, entities in ways.items() for entity in entities}
    for item in candidates:
        for source, end in ((item.subject_id, item.object_id), (item.object_id, item.subject_id)):
            score = near.get((item.triple.relation, source))
            if score is not None and end:
                worth[end] = max(worth.get(end, 0.0), score * begun.get(source, 1.0))
