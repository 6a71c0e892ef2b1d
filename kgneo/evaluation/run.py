"""Asks the questions of a grid of configurations, and keeps a record of each.

In come questions, configurations and a `Backend`: the callables that answer, retrieve and look things up.
Out go records (one JSON object a question, see `records`). Every configuration is one file; what is already
in it is not asked again, so a run that was stopped is continued by starting it again.

Nothing here knows a database or a model. A backend says that its server is lost by raising an error whose
`retry` is true; the run then waits instead of counting wrong answers.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from kgneo.errors import (
    EncoderError,
    EncoderMismatch,
    EntityNotFound,
    GraphEmpty,
    KgneoError,
    ModelError,
    NotIndexed,
    QuestionError,
    UsageError,
)
from kgneo.evaluation.metrics import Scores, matching, score
from kgneo.evaluation.records import Record, RecordFile
from kgneo.matching import fold
from kgneo.model import Answer, Triple
from kgneo.questions import Question
from kgneo.strategies import Strategy, find_strategy

FATAL = (UsageError, NotIndexed, EncoderMismatch, EncoderError, GraphEmpty)
"""Errors that every further question would meet as well."""

EVIDENCE_KEPT = 1000
"""Evidence triples kept in the record of a wrong answer."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One cell of the grid. `hops` and `top_k` are the retrieval's N and K; `question_hops` says which part
    of the data set is asked; `seed` draws the sample and is handed to the language model."""

    strategy: str
    hops: int
    top_k: int
    seed: int
    question_hops: int | None = None

    @property
    def name(self) -> str:
        """A name that can be a file's: "2-hop_kg-rag_N3_K30_seed0"."""
        part = f"{self.question_hops}-hop" if self.question_hops is not None else "all"
        strategy = re.sub(r"[^\w.-]", "-", self.strategy)
        return f"{part}_{strategy}_N{self.hops}_K{self.top_k}_seed{self.seed}"


def grid(
    *,
    strategies: Sequence[str],
    hops: Sequence[int],
    top_k: Sequence[int],
    seeds: Sequence[int],
    question_hops: Sequence[int | None],
) -> tuple[Configuration, ...]:
    """Every combination, repeats left out, in the order: strategy, N, K, part of the data set, seed."""
    cells = itertools.product(strategies, hops, top_k, question_hops, seeds)
    return tuple(
        dict.fromkeys(Configuration(strategy, reach, kept, seed, part) for strategy, reach, kept, part, seed in cells)
    )


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retriever found for one question.

    `counts` has the number of candidates first reached at hop 1, 2, …; `gold` those of the gold triples that
    are among the candidates; `ranked` the top K triples, best first.
    """

    counts: tuple[int, ...]
    gold: frozenset[Triple]
    ranked: tuple[Triple, ...]


class Asker(Protocol):
    """Answers one question. Called from several threads at once when there are several workers."""

    def __call__(self, question: Question, configuration: Configuration, /) -> Answer:
        """All answers (not only the first few). Raises KgneoError."""
        ...


class Retriever(Protocol):
    """Candidates and their ranking for one question, without an answer."""

    def __call__(self, question: Question, configuration: Configuration, gold: Sequence[Triple], /) -> Retrieved:
        """`gold` are the triples to look for among the candidates. A `top_k` of 0 in the configuration means
        that no ranking is wanted. Raises KgneoError."""
        ...


class GoldWalker(Protocol):
    """The triples on all walks along a question's gold path that end in a gold answer."""

    def __call__(self, question: Question, /) -> tuple[Triple, ...]:
        """Empty where the question has no gold path."""
        ...


@dataclass(frozen=True, slots=True)
class Backend:
    """What a run needs from the outside. All but `ask` may be None; less is then reported.

    `alive` returns when the servers answer and raises otherwise; `missing` gives those of the names that no
    node has; `facts` goes into the report and decides whether a results folder may be continued (graph's
    hash, encoder, model, …). `strategy` finds a strategy by its name, with the options that it is asked with.
    """

    ask: Asker
    retrieve: Retriever | None = None
    gold: GoldWalker | None = None
    alive: Callable[[], None] | None = None
    missing: Callable[[Sequence[str]], Sequence[str]] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    strategy: Callable[[str], Strategy] = find_strategy


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one configuration is: questions done (resumed ones included), of how many, first answers right,
    failed questions."""

    configuration: Configuration
    done: int
    total: int
    hits: float
    errors: int
    resumed: int

    @property
    def hit_at_1(self) -> float:
        """Running Hit@1."""
        return self.hits / self.done if self.done else 0.0


@dataclass(frozen=True, slots=True)
class Effort:
    """What a session cost: seconds in all, seconds within the questions (summed over workers), questions."""

    wall_s: float
    asked_s: float
    questions: int
    workers: int

    @property
    def overhead(self) -> float:
        """Time of the harness as a share of the questions' own time (with one worker)."""
        return max(0.0, self.wall_s * self.workers - self.asked_s) / self.asked_s if self.asked_s else 0.0


class LostServerError(KgneoError):
    """A server did not come back in time; nothing was counted as wrong."""

    retry = True


@dataclass
class Patience:
    """Waits for a lost server, for all workers at once.

    `alive` is the probe (None: the question itself, asked again, is the probe), `seconds` how long it may
    take, `tries` how often one question is asked again while the server answers, `notify` gets a line.
    """

    alive: Callable[[], None] | None = None
    seconds: float = 600.0
    tries: int = 4
    first_pause: float = 1.0
    notify: Callable[[str], None] = lambda _: None
    stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: bool = False

    def call(self, work: Callable[[Question], Record], question: Question) -> Record:
        """`work(question)`, again after each loss. Raises LostServerError, or the last error of `tries`."""
        began: float | None = None
        pauses = self._pauses()
        for attempt in itertools.count(1):
            try:
                record = work(question)
            except KgneoError as error:
                if not error.retry or self.stopped.is_set():
                    raise
                began = began if began is not None else time.monotonic()
                self._announce(error)
                self.stopped.wait(next(pauses))
                if isinstance(error, ModelError):  # the server that is looked for is not the model's
                    if attempt >= self.tries:
                        raise
                elif self.alive is not None:
                    self._probe(error, began)
                    if attempt >= self.tries:
                        raise
                elif time.monotonic() - began >= self.seconds:
                    raise self._lost(error) from error
            else:
                self._back()
                return record
        raise AssertionError("unreachable")

    def _pauses(self) -> Iterator[float]:
        pause = self.first_pause
        while True:
            yield pause
            pause = min(2 * pause, 30 * self.first_pause)

    def _probe(self, cause: KgneoError, began: float) -> None:
        """Return when the server answers. Raises LostServerError when it took too long."""
        assert self.alive is not None
        for pause in self._pauses():
            try:
                self.alive()
            except KgneoError as error:
                if not error.retry:
                    raise
                if time.monotonic() - began >= self.seconds or self.stopped.is_set():
                    raise self._lost(cause) from error
                self.stopped.wait(pause)
            else:
                self._back()
                return

    def _announce(self, error: KgneoError) -> None:
        with self._lock:
            if isinstance(error, ModelError):
                self.notify(f"The language model failed ({error.message}); asking it {self.tries} times at most.")
            elif not self._waiting:
                self._waiting = True
                self.notify(
                    f"Lost the server ({error.message}); waiting up to {self.seconds:.0f} s for it. "
                    "Nothing is counted as wrong."
                )

    def _back(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting = False
                self.notify("The server answers again; going on.")

    def _lost(self, error: KgneoError) -> LostServerError:
        return LostServerError(
            f"the server did not come back within {self.seconds:.0f} s: {error.message}",
            hint="What is done is kept. Start the server and run the same command again to go on.",
        )


def ask_record(question: Question, configuration: Configuration, ask: Asker, *, in_words: bool = False) -> Record:
    """Ask, score, and put what a report needs into a record; `in_words` is for strategies that name no entities.

    Raises what `ask` raises.
    """
    begin = time.perf_counter()
    answer = _asked(question, configuration, ask)
    elapsed = (time.perf_counter() - begin) * 1000
    scores = score(answer, question, in_words=in_words)
    found = matching(answer, question)
    record = _question_part(question)
    record |= {
        "answer": answer.answer,
        "answers": list(answer.answers),
        "table": asdict(answer.table) if answer.table else None,
        "answer_nodes": [asdict(node) for node in answer.answer_nodes],
        "more": answer.more,
        "entities": [topic.entity.name for topic in answer.entities],
        "steps": [{"question": step.question, "answers": list(step.answers)} for step in answer.steps],
        "sub_questions": _sub_questions(question, answer),
        "path": answer.readings[0].path if answer.readings else "",
        "grounded": answer.grounded,
        "confidence": answer.confidence,
        "model": answer.llm.model if answer.llm else None,
        "calls": answer.llm.calls if answer.llm else 0,
        "tokens": answer.llm.prompt_tokens + answer.llm.completion_tokens if answer.llm else 0,
        "ms": round(elapsed, 3),
        "timings_ms": {stage: round(value, 2) for stage, value in answer.timings_ms.items()},
        "warnings": list(answer.warnings),
        "outcome": answer.outcome,
        "exact_first": score(answer.picked(1), question).exact if answer.choices else scores.exact,
        "scores": scores.to_dict(),
        "counts": {"found": len(found.right), "right": sum(found.right), "gold": found.gold, "met": found.met},
        "error": None,
    }
    if not scores.exact:
        record["evidence"] = _evidence(answer)
    return record


def _asked(question: Question, configuration: Configuration, ask: Asker) -> Answer:
    """The answer; where the graph holds none, naming the entity that it lacks is one."""
    try:
        return ask(question, configuration)
    except EntityNotFound as error:
        if question.gold:
            raise
        return Answer(question.text, configuration.strategy, "not found", confidence=0.0, warnings=(error.message,))


def _sub_questions(question: Question, answer: Answer) -> int:
    """How many sub-questions were made: 0 for a question that was answered undivided, as in the paper's Figure 8."""
    if len(answer.steps) != 1:
        return len(answer.steps)
    return int(fold(answer.steps[0].question) != fold(question.without_brackets().text))


def _evidence(answer: Answer) -> list[list[str]]:
    items = [*answer.evidence, *(item for step in answer.steps for item in step.evidence)]
    triples = (item.triple for item in items)
    distinct = dict.fromkeys((triple.subject, triple.relation, triple.object) for triple in triples)
    return [list(triple) for triple in itertools.islice(distinct, EVIDENCE_KEPT)]


def retrieve_record(
    question: Question, configuration: Configuration, backend: Backend, *, top_k: Sequence[int]
) -> Record:
    """Retrieve the largest of `top_k` once, and measure the gold path's triples for every one of them."""
    assert backend.retrieve is not None
    assert backend.gold is not None
    looked_up = time.perf_counter()
    gold = frozenset(backend.gold(question))
    begin = time.perf_counter()
    retrieved = backend.retrieve(question, configuration, tuple(gold))
    elapsed = (time.perf_counter() - begin) * 1000
    record = _question_part(question)
    record |= {
        "gold": len(gold),
        "candidates": list(retrieved.counts),
        "gold_among_candidates": len(retrieved.gold & gold),
        "gold_among_top_k": {str(k): len(gold.intersection(retrieved.ranked[:k])) for k in top_k},
        "ms": round(elapsed, 3),
        "work_ms": round((time.perf_counter() - looked_up) * 1000, 3),
        "error": None,
    }
    return record


def error_record(question: Question, error: BaseException) -> Record:
    """The record of a question that failed: every score is 0."""
    record = _question_part(question)
    record |= {
        "scores": Scores().to_dict(),
        "error": {"type": type(error).__name__, "message": getattr(error, "message", "") or str(error)},
    }
    return record


def _question_part(question: Question) -> Record:
    nodes = [{"label": node.label, **node.properties} for node in question.nodes]
    return {
        "id": question.id,
        "question": question.text,
        "gold_answers": list(question.answers),
        **({"gold_nodes": nodes} if nodes else {}),
        "gold_entities": list(question.entities),
        "type": question.type,
    }


@dataclass
class _Tally:
    """Writes records and counts them. Errors are held back until the first success: when nothing but errors
    comes, the cause is not in the questions, and the run stops without having written any."""

    records: RecordFile
    configuration: Configuration
    total: int
    resumed: int
    on_progress: Callable[[Progress], None]
    first_errors: int = 10
    asked_ms: float = 0.0
    hits: float = 0.0
    errors: int = 0
    done: int = 0
    succeeded: bool = False
    held: list[Record] = field(default_factory=list)

    def take(self, record: Record, error: BaseException | None) -> None:
        """Count and write one record; raise `error` when it is the tenth with no success before it."""
        self.done += 1
        self.asked_ms += record["work_ms"] if "work_ms" in record else record.get("ms", 0.0)
        self.hits += record.get("scores", {}).get("hit_at_1", 0.0)
        self.errors += error is not None
        if error is None:
            self.succeeded = True
        self.held.append(record)
        if self.succeeded:
            self.flush()
        elif error is not None and len(self.held) >= self.first_errors:
            self.held.clear()
            raise _all_failed(error, self.first_errors) from error
        self.on_progress(Progress(self.configuration, self.done, self.total, self.hits, self.errors, self.resumed))

    def flush(self) -> None:
        """Write what was held back."""
        for record in self.held:
            self.records.append(record)
        self.held.clear()


def _all_failed(error: BaseException, count: int) -> KgneoError:
    message = getattr(error, "message", "") or str(error)
    hint = "Ask one of them with `kgneo ask` to see it. Nothing was recorded."
    return KgneoError(
        f"the first {count} questions all failed, so the cause is not in them; the last: "
        f"{type(error).__name__}: {message}",
        hint=getattr(error, "hint", "") or hint,
    )


def run_configuration(
    configuration: Configuration,
    questions: Sequence[Question],
    records: RecordFile,
    work: Callable[[Question], Record],
    *,
    workers: int = 1,
    patience: Patience | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Effort:
    """Do `work` for every question that `records` does not hold yet, and append what it returns.

    A question that raises is recorded as failed, unless the error concerns every question or its `retry` says
    that waiting can help. KeyboardInterrupt goes through; what is done is on the disk by then.
    """
    patience = patience or Patience()
    patience.stopped.clear()
    pending = [question for question in questions if question.id not in records.done]
    resumed = len(questions) - len(pending)
    tally = _Tally(records, configuration, len(questions), resumed, on_progress)
    tally.done, tally.hits, tally.errors = resumed, records.hits, records.failed
    on_progress(Progress(configuration, tally.done, tally.total, tally.hits, tally.errors, resumed))
    begin = time.perf_counter()
    outcomes = _in_turn(pending, work, patience) if workers <= 1 else _in_threads(pending, work, patience, workers)
    try:
        for question, outcome in outcomes:
            if isinstance(outcome, BaseException):
                tally.take(error_record(question, outcome), outcome)
            else:
                tally.take(outcome, None)
    finally:
        outcomes.close()
        if tally.succeeded:
            records.sync()
    tally.flush()
    return Effort(time.perf_counter() - begin, tally.asked_ms / 1000, len(pending), max(1, workers))


Outcome = tuple[Question, Record | BaseException]


def _attempt(question: Question, work: Callable[[Question], Record], patience: Patience) -> Outcome:
    try:
        return question, patience.call(work, question)
    except QuestionError as error:  # of this question alone
        return question, error
    except (LostServerError, *FATAL):
        raise
    except Exception as error:  # whatever one question does, the others are asked
        return question, error


def _in_turn(
    questions: Iterable[Question], work: Callable[[Question], Record], patience: Patience
) -> Generator[Outcome, None, None]:
    for question in questions:
        yield _attempt(question, work, patience)


def _in_threads(
    questions: Iterable[Question], work: Callable[[Question], Record], patience: Patience, workers: int
) -> Generator[Outcome, None, None]:
    """Outcomes as they come. At most twice as many questions as workers are under way or waiting."""
    rest = iter(questions)
    running: set[Future[Outcome]] = set()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="question")
    try:
        while True:
            for question in itertools.islice(rest, 2 * workers - len(running)):
                running.add(pool.submit(_attempt, question, work, patience))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        patience.stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)
