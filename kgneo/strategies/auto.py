"""`auto`: the best answer that can be had from what is there, and an honest outcome; the default strategy.

read → (sure: done) → with a model: choose a reading or write a query graph → over plain triples: KG-RAG, where no query
was of use → outcome. Each stage gives an answer with its confidence, and the likeliest is kept, so that a model never
takes the place of a reading that is likelier to be right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kgneo.context import Clock, Context
from kgneo.errors import BudgetSpent, ContextOverflow, EntityNotFound, KgneoError, ModelError
from kgneo.events import Event, StageEvent, Text
from kgneo.languages.tell import ENGLISH, language_of
from kgneo.languages.translate import in_english
from kgneo.llm import LanguageModel
from kgneo.model import Answer
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.agree import LEAST_AGREED, SMALL, answered_names, beside, opposed, trust_in
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.ground import says_nothing
from kgneo.stages.link import hinted_topics, unbracket
from kgneo.stages.offer_readings import Offered
from kgneo.stages.outcome import CLEAR, KNOWN, NO_ANSWER, Bounds, concluded, least_of, unknown_names
from kgneo.stages.recall import When
from kgneo.stages.summarise import summarise
from kgneo.stages.try_readings import Tried, attempt_of, same, try_readings
from kgneo.stages.unused import hear
from kgneo.stages.write_query import Attempt, Offer, write_query
from kgneo.strategies.cypher import answer_of_attempts
from kgneo.strategies.kg_rag import KgRag
from kgneo.strategies.paths import Paths
from kgneo.strategies.protocol import Needs

TRANSLATED = replace(TABLE_2, temperature=0.0, max_tokens=128)
YES_OR_NO = replace(TABLE_2, temperature=0.0, max_tokens=8)
DRAWN = 0.7
"""Temperature of replies that are to differ, where several are counted."""
DENIED = 0.5
"""Share of the confidence that is left where the model does not find the question in the words of the query graph."""
WALKED = 0.4
"""Confidence in what KG-RAG answers from the graph."""


LANGUAGES = (
    "Questions are read in English, and with words of yours in kgneo.terms.toml in German and Spanish; with a language "
    "model (--llm), in any language."
)
TERMS = "Words for what is in the graph are told by kgneo.terms.toml."
TOOK, WROTE = "The model took a reading.", "The model wrote a query graph."
SAME, NOTHING = "It finds the same as the reader.", "It finds nothing."
FAILED = "A query failed before."
"""What is told of how a model's answer came about."""


@dataclass(frozen=True, slots=True)
class AutoOptions:
    """`sure` is the confidence from which the reader's answer is given without a call. Below it a model sees so many
    `readings`, takes one or writes a query graph, in at most so many `attempts`; `schema_tokens`, `shots` and `when`
    are as for `cypher`.
    `votes`: replies that are drawn, of which those that find the same and are most win. `check`: the model holds the
    words of the query graph against the question, one more call. `choices`: whether several readings may be the
    outcome, for the user to choose."""

    sure: float = 0.95
    readings: int = 4
    attempts: int = 2
    votes: int = 1
    check: bool = False
    choices: bool = True
    schema_tokens: int = 2_000
    shots: int = 3
    when: When = "failure"


@dataclass
class _Asked:
    """A question on its way: what was done so far (`how`), the readings that were tried, the answer that is likeliest
    by now."""

    question: str
    context: Context
    entities: Sequence[str]
    clock: Clock
    best: Answer
    offered: Sequence[Offered] = ()
    how: list[str] = field(default_factory=list)
    tried: tuple[Tried, ...] = ()
    said: bool = False
    """Whether the answer tells passages of texts."""

    def tell(self, text: str) -> None:
        """Keep what is done, and tell it where a model makes somebody wait."""
        self.how.append(text)
        if self.context.model is not None:
            self.context.on_event(StageEvent("auto", "done", text=text))

    def keep(self, answer: Answer) -> bool:
        """Take an answer in place of the likeliest one so far where it is likelier; whether it was. One that finds
        nothing does not take the place of a name that the graph does not have."""
        better = (answer.confidence or 0.0) > (self.best.confidence or 0.0) or self.best.answer == NO_ANSWER
        better = better and bool(answer.answers or not self.best.missing)
        use = answer.llm or self.best.llm
        self.best = replace(answer if better else self.best, llm=use)
        return better


@dataclass(frozen=True, slots=True)
class Auto:
    """The default: reads the question, asks the model where that is not sure, says what came of it."""

    options: AutoOptions = field(default_factory=AutoOptions)
    name: ClassVar[str] = "auto"
    needs: ClassVar[Needs] = Needs(model_if_any=True)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = MAX_HOPS

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound for a name that the user marked and the graph does not have, and ModelError."""
        asked = self._read(question, context, entities)
        calls = ModelCalls.of(context, asked.clock, strategy=self.name) if context.model is not None else None
        language = language_of(question)
        if language != ENGLISH:
            self._put_into_english(asked, language, calls)
        confidence = asked.best.confidence or 0.0
        unsure = context.model is not None and confidence < self.options.sure
        asks = unsure and confidence < _worth_asking(context.model)
        undecided = any(item.decided < 1 for item in asked.offered[:1])
        if confidence < CLEAR or asks or undecided:
            with asked.clock.stage("try"):
                asked.tried = try_readings(context, asked.offered, most=self.options.readings)
        if calls is not None and asked.said:
            self._summarise(asked, calls)
        elif asks and calls is not None:
            self._ask_model(asked, calls)
        if unsure and context.shape.loaded:
            self._walk(asked)
        concluded = replace(self._conclude(asked), question=question)
        clear = concluded.outcome == "answer" and (concluded.confidence or 0.0) >= CLEAR
        return concluded if language == ENGLISH or clear else _not_read(concluded, language, asked)

    def _put_into_english(self, asked: _Asked, language: str, calls: ModelCalls | None) -> None:
        """Have the model put a question in another language into English, and read that, where the reader, which knows
        the words of some languages, is not sure of it."""
        text = in_english(asked.question)
        if text != asked.question:
            asked.tell(f"The question is in {language}; with English words: {text}")
        if calls is None or (asked.best.confidence or 0.0) >= self.options.sure:
            return
        try:
            said = calls.complete("translate", TRANSLATED, question=one_line(asked.question)).text
        except (BudgetSpent, ContextOverflow) as error:
            asked.tell(error.message)
            return
        english = one_line(said)
        if not english:
            return
        asked.tell(f"The model put the question, which is in {language}, into English: {english}")
        again = self._read(english, asked.context, asked.entities)
        asked.clock.milliseconds.update(again.clock.milliseconds)
        asked.question, asked.offered = english, again.offered
        asked.best = replace(again.best, llm=calls.use)
        asked.how += again.how

    def _read(self, question: str, context: Context, entities: Sequence[str]) -> _Asked:
        """What the reader makes of the question, without a call."""
        clock = Clock(context.on_event)
        try:
            chosen = Paths().chosen(question, context, entities=entities)
        except EntityNotFound as error:
            if entities or "[" in question:
                raise
            asked = _Asked(question, context, entities, clock, unknown_names(question, self.name, error))
            asked.tell("The reader found a name that the graph does not have." if error.names else "Nothing was read.")
            return asked
        clock.milliseconds.update(chosen.answer.timings_ms)
        unused = chosen.offered[0].ignored if chosen.offered else ()
        best = replace(chosen.answer, strategy=self.name, unused=unused)
        asked = _Asked(question, context, entities, clock, best, chosen.offered, said=chosen.said)
        sure = (best.confidence or 0.0) >= self.options.sure
        asked.tell(f"The reader is {'sure' if sure else 'not sure'} of its reading ({best.confidence or 0.0:.2f}).")
        return asked

    # With a model ----------------------------------------------------------------------------------------------------

    def _ask_model(self, asked: _Asked, calls: ModelCalls) -> None:
        """Let the model take a reading or write a query graph."""
        asked.tell(f"The model was asked, and offered {len(asked.tried)} readings.")
        votes = [vote for number in range(self.options.votes) if (vote := self._vote(asked, calls, number))]
        if not votes:
            asked.tell("No query graph of the model's could be run.")
            asked.best = replace(asked.best, llm=calls.use, warnings=(*asked.best.warnings, *calls.warnings))
            return
        groups = Counter(map(answered_names, votes))
        winning, most = groups.most_common(1)[0]
        answer = next(vote for vote in votes if answered_names(vote) == winning)
        if self.options.votes > 1:
            asked.tell(f"{most} of {len(votes)} replies find the same.")
            answer = replace(answer, confidence=(answer.confidence or 0.0) * (0.5 + 0.5 * most / len(votes)))
        if self.options.check:
            answer = self._checked(asked, answer, calls)
        if not asked.keep(self._beside_reader(asked, replace(answer, llm=calls.use))):
            asked.tell(f"The reader's answer is likelier ({asked.best.confidence or 0.0:.2f}).")

    def _summarise(self, asked: _Asked, calls: ModelCalls) -> None:
        """Have the model say what the passages say; what rests on none of them is left out."""
        best = asked.best
        try:
            found = summarise(asked.question, best.answers, calls, asked.context.encoder)
        except (BudgetSpent, ContextOverflow) as error:
            asked.tell(error.message)
            return
        asked.best = replace(best, llm=calls.use)
        if found.left_out:
            asked.tell(f"Left out of the model's words, since no passage says so: {one_line(' '.join(found.left_out))}")
        if found.sentences:
            asked.tell("The model said what the passages say, each sentence with those that it rests on.")
            asked.best = replace(asked.best, answer=found.text)

    def _beside_reader(self, asked: _Asked, answer: Answer) -> Answer:
        """The model's answer, as likely as it is beside the reader's: surer where that found the same by itself. Of two
        that differ both are less sure."""
        read, own = asked.best, answer.confidence or 0.0
        reader = 0.0 if read.answer == NO_ANSWER else read.confidence or 0.0
        if read.answers and same(read, answer):
            asked.tell(SAME)
            agreed = beside(reader, agreed=True)
            return replace(answer, confidence=round(agreed if TOOK in asked.how else max(agreed, LEAST_AGREED), 4))
        likely, other = opposed(own, reader)
        asked.best = replace(read, confidence=round(other, 4))
        return replace(answer, confidence=round(likely, 4))

    def _vote(self, asked: _Asked, calls: ModelCalls, number: int) -> Answer | None:
        """One reply of the model's that could be run, as an answer with its confidence."""
        options, context = self.options, asked.context
        topics = hinted_topics(context.knowledge, asked.question, entities=asked.entities)
        offer = _offer(asked, calls)
        seed = calls.seed
        calls.seed = (seed or 0) + number if options.votes > 1 else seed
        try:
            attempts = write_query(
                unbracket(asked.question)[0],
                topics,
                context,
                calls,
                free=False,
                attempts=options.attempts,
                schema_tokens=options.schema_tokens,
                shots=options.shots,
                when=options.when,
                offer=offer,
                temperature=DRAWN if options.votes > 1 else 0.0,
            )
        except ContextOverflow as error:
            calls.warn(f"The question does not fit into the model's context: {error.message}")
            return None
        finally:
            calls.seed = seed
        if not any(attempt.found for attempt in attempts):
            return None
        answer = answer_of_attempts(asked.question, self.name, attempts, topics, calls)
        return replace(answer, confidence=self._alone(asked, answer, attempts, offer))

    def _alone(self, asked: _Asked, answer: Answer, attempts: Sequence[Attempt], offer: Offer) -> float:
        """How likely the model's answer is right, by how it came about."""
        took = any(attempt is other for attempt in attempts for other in offer.attempts)
        failed = sum(attempt.problem is not None for attempt in attempts[:-1])
        told = [*(FAILED for _ in range(failed)), TOOK if took else WROTE, *(() if answer.answers else (NOTHING,))]
        for text in told:
            asked.tell(text)
        return trust_in(asked.context.model).alone(took=took, empty=not answer.answers, failed=failed)

    def _checked(self, asked: _Asked, answer: Answer, calls: ModelCalls) -> Answer:
        """The answer, less sure where the model does not find the question in the words of its query graph."""
        read_as = answer.steps[0].question if answer.steps else ""
        if not read_as or read_as == asked.question:
            return answer
        try:
            said = calls.complete("check_reading", YES_OR_NO, question=one_line(asked.question), reading=read_as).text
        except (BudgetSpent, ContextOverflow) as error:
            calls.warn(error.message)
            return answer
        agreed = said.strip().lower().startswith("yes")
        asked.tell(f"Held against the question, its words {'mean the same' if agreed else 'do not mean the same'}.")
        return answer if agreed else replace(answer, confidence=DENIED * (answer.confidence or 0.0))

    def _walk(self, asked: _Asked) -> None:
        """KG-RAG, over plain triples, where neither the reader nor a query graph was of use."""
        if (asked.best.confidence or 0.0) >= WALKED:
            return
        context = replace(asked.context, on_event=_without_text(asked.context))
        try:
            found = KgRag().answer(asked.question, context, entities=asked.entities)
        except ModelError:
            raise
        except KgneoError as error:
            asked.tell(f"KG-RAG was left out: {error.message}")
            return
        asked.tell("KG-RAG was asked.")
        if found.answers and not says_nothing(found.answer):
            use = asked.best.llm + found.llm if asked.best.llm and found.llm else found.llm
            confidence = WALKED if found.grounded else 0.5 * WALKED
            asked.keep(replace(found, strategy=self.name, confidence=confidence, llm=use))

    def _conclude(self, asked: _Asked) -> Answer:
        """The outcome; with a model, it is told as it would be by other strategies."""
        context = asked.context
        bounds = Bounds(least_of(context, asked.question, asked.entities), choices=self.options.choices)
        best = asked.best
        if best.outcome == "answer" or not best.missing:
            clear = best.answer != NO_ANSWER and (best.confidence or 0.0) >= KNOWN
            heard = None if clear else hear(context, asked.question)
            best = concluded(context, best, asked.tried, heard, bounds)
        best = replace(best, how=tuple(asked.how), timings_ms=asked.clock.milliseconds)
        if context.model is not None:
            context.on_event(Text(best.message or best.answer))
            context.on_event(StageEvent("answer", "done", 1, 1, best.answer, best.steps[0] if best.steps else None))
        return best


def _not_read(answer: Answer, language: str, asked: _Asked) -> Answer:
    """An answer that nothing was made of, with what is to be done about the language of its question."""
    read = in_english(asked.question) != asked.question
    if not read and asked.context.model is not None:
        return answer
    told = f"The question is in {language}. {TERMS}" if read else f"The question seems to be in {language}. {LANGUAGES}"
    if answer.outcome == "answer":
        return replace(answer, warnings=(*answer.warnings, told))
    return replace(answer, message=f"{told}\n{answer.message}".strip() if read else told)


def _offer(asked: _Asked, calls: ModelCalls) -> Offer:
    """The readings that were tried, for the model to take one of them."""
    lines = "\n".join(f"{number}. {item.told}" for number, item in enumerate(asked.tried, start=1))
    attempts = tuple(attempt_of(item, limit=asked.context.options.limit) for item in asked.tried)
    text = calls.prompts.messages("offered", readings=lines)[-1].content if attempts else ""
    return Offer(text, attempts)


def _worth_asking(model: LanguageModel | None) -> float:
    """Confidence of the reader from which on a small model's answer would not be taken. A large one is asked all the
    same, since that it finds the same makes an answer surer."""
    trust = trust_in(model)
    return max(trust.wrote, trust.took) if trust == SMALL else 1.0


def _without_text(context: Context) -> Callable[[Event], None]:
    """Tells of what happens, and not what KG-RAG writes: that may not be the answer."""

    def told(event: Event) -> None:
        if not isinstance(event, Text) and not (isinstance(event, StageEvent) and event.stage == "answer"):
            context.on_event(event)

    return told
