"""The run's callables on a real graph: asking, retrieving, walking gold paths.

In comes a `Context` (graph, index, encoder, model); out goes a `Backend`. Several threads may use it at once.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.evaluation.provenance import hash_triples
from kgneo.evaluation.run import Backend, Configuration, Retrieved
from kgneo.graph import Graph
from kgneo.graph.candidates import count_candidates
from kgneo.graph.examples import all_examples, read_scorer
from kgneo.graph.gold_triples import PathTriple, all_triples, among_candidates, path_triples
from kgneo.model import Answer, Triple
from kgneo.prompts import Prompts
from kgneo.questions import Question
from kgneo.stages.link import link
from kgneo.stages.retrieve import retrieve
from kgneo.strategies import Strategy, find_strategy
from kgneo.text import fold

ALL_ANSWERS = 1_000_000
"""Answers asked for: a metric of sets needs all of them."""
KEPT_WALKS = 64
"""Gold paths kept between walking one and looking for its triples among the candidates."""
NAMES_AT_ONCE = 2_000


@dataclass
class GraphBackend:
    """Asks and retrieves through one context; `options` are for those strategies that have them."""

    context: Context
    options: Mapping[str, object] = field(default_factory=dict)
    _contexts: dict[tuple[int, int, int], Context] = field(default_factory=dict)
    _walks: OrderedDict[str, tuple[PathTriple, ...]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, question: Question, configuration: Configuration) -> Answer:
        """See `run.Asker`."""
        return ask(
            self._context(configuration),
            question.text,
            strategy=self.strategy(configuration.strategy),
            entities=_given(question),
        )

    def strategy(self, name: str) -> Strategy:
        """The strategy of that name as it is asked here. Raises UsageError."""
        return find_strategy(name, **self.options)

    def retrieve(self, question: Question, configuration: Configuration, gold: Sequence[Triple]) -> Retrieved:
        """See `run.Retriever`. The topic entities are those that `link` finds."""
        context = self._context(configuration)
        knowledge = context.knowledge
        linked = link(knowledge, question.text, entities=_given(question))
        found = retrieve(linked.text, linked.entity_ids, context)
        wanted = frozenset(gold)
        walked = [item for item in self._walk(question) if item.triple in wanted] if wanted else []
        among = among_candidates(knowledge.graph, found.reach, walked)
        ranked = tuple(candidate.triple for candidate in found.nearest)
        return Retrieved(count_candidates(knowledge, found.reach), among, ranked)

    def gold(self, question: Question) -> tuple[Triple, ...]:
        """See `run.GoldWalker`."""
        return tuple(dict.fromkeys(item.triple for item in self._walk(question)))

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those of `names` that no entity of the graph has, whatever the case."""
        absent: list[str] = []
        for start in range(0, len(names), NAMES_AT_ONCE):
            part = names[start : start + NAMES_AT_ONCE]
            found = self.context.knowledge.names.by_name(part)
            absent += [name for name in part if name not in found]
        folded = self.context.knowledge.names.by_folded_name(absent, limit=10 * len(absent)) if absent else {}
        return [name for name in absent if fold(name) not in folded]

    def _context(self, configuration: Configuration) -> Context:
        """The context with this configuration's options; what is kept between questions is shared."""
        key = (configuration.hops, configuration.top_k, configuration.seed)
        with self._lock:
            if key not in self._contexts:
                options = replace(
                    self.context.options,
                    hops=configuration.hops,
                    top_k=configuration.top_k,
                    seed=configuration.seed,
                    limit=ALL_ANSWERS,
                )
                self._contexts[key] = replace(self.context, options=options)
            return self._contexts[key]

    def _walk(self, question: Question) -> tuple[PathTriple, ...]:
        if question.path is None:
            return ()
        with self._lock:
            if question.id in self._walks:
                return self._walks[question.id]
        found = path_triples(
            self.context.knowledge,
            question.entities,
            question.path,
            question.gold,
        )
        with self._lock:
            self._walks[question.id] = found
            while len(self._walks) > KEPT_WALKS:
                self._walks.popitem(last=False)
        return found


def _given(question: Question) -> tuple[str, ...]:
    """Entities to name when asking: none where the text has them in brackets, or where they are to be found."""
    return question.entities if question.told and "[" not in question.text else ()


def graph_backend(
    context: Context,
    *,
    alive: Callable[[], None] | None = None,
    options: Mapping[str, object] | None = None,
) -> Backend:
    """The callables of a run on `context`. `alive` is the probe for a lost server (by default a query); `options`
    are those of strategies' own, for the strategies that have them; None leaves one as it is."""
    whole = GraphBackend(context, options or {})

    def probe() -> None:
        context.graph.read("RETURN 1")

    return Backend(
        ask=whole.ask,
        retrieve=whole.retrieve,
        gold=whole.gold,
        alive=alive or probe,
        missing=whole.missing,
        facts=graph_facts(context, whole.options),
        strategy=whole.strategy,
    )


def graph_facts(context: Context, own: Mapping[str, object]) -> dict[str, Any]:
    """Graph, index, model and parameters, as they stand in a report. Reads the whole graph once for its hash."""
    record, options, model = context.record, context.options, context.model
    facts: dict[str, Any] = {
        "graph": {"triples": record.triples, "hash": hash_triples(all_triples(context.knowledge))},
        "encoder": {"name": record.encoder, "fingerprint": record.fingerprint, "template": record.template},
        "parameters": {
            "direction": options.direction,
            "exact": options.exact,
            "min_confidence": options.min_confidence,
        },
    }
    if learned := learned_facts(context.graph):
        facts["learned"] = learned
    if model is not None:
        facts["model"] = {
            "name": model.name,
            "fingerprint": model.fingerprint,
            "context_tokens": model.context_tokens,
        }
        facts["parameters"] |= own
        bounds = {"max_calls": options.max_calls, "max_tokens": options.max_tokens}
        facts["parameters"] |= {name: bound for name, bound in bounds.items() if bound is not None}
        facts["prompts"] = hash_prompts(context.prompts)
    return facts


def learned_facts(graph: Graph) -> dict[str, Any]:
    """Number and hash of the examples that were learned, with what was trained on them; empty without any."""
    keys = sorted((example.key, example.count) for example in all_examples(graph))
    if not keys:
        return {}
    text = json.dumps([keys, read_scorer(graph)], sort_keys=True)
    return {"examples": len(keys), "hash": hashlib.sha256(text.encode()).hexdigest()}


def hash_prompts(prompts: Prompts) -> str:
    """Says that they are kgneo's own, or gives the SHA-256 of the user's files."""
    if prompts.folder is None:
        return "kgneo's own"
    digest = hashlib.sha256()
    for file in sorted(prompts.folder.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
