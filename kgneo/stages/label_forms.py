"""Questions about all nodes of a label, which name no entity: "who is the oldest patient", "how many wards are there",
"which departments were founded before 1900".

Comes in: a question. Goes out: a `Formed` answer, or None where a word is left that neither the label, nor the form,
nor one property explains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgneo.context import Context
from kgneo.english.intent import Intent, interpret, plain_question
from kgneo.english.names import content_words, is_noun, name_words, same_root
from kgneo.english.question import MaskedQuestion
from kgneo.english.words import FUNCTION_WORDS
from kgneo.graph.cypher import fill
from kgneo.graph.statistics import HopStatistics
from kgneo.graph.values import texts
from kgneo.model import Evidence, Triple
from kgneo.query.quoting import quote
from kgneo.stages.forms import DATE, NUMBER, OF_TIME, Formed, listed, most_like, passes, values_are

LIMIT = 1000
READ = 100_000
"""Nodes whose values are read at most; of more, a test is not answered."""
EMPTY = frozenset(("there", "graph", "database", "known", "total", "altogether", "number", "exist"))
"""Words that say nothing more when all nodes of a label are meant."""
SURE = 0.9


def answer_over_label(context: Context, question: str) -> Formed | None:
    """How many nodes a label has, or those with the extreme value of a property, or with one that passes a test."""
    intent = interpret(MaskedQuestion(question))
    if intent.kind not in ("count", "superlative", "comparison") or (intent.operator and intent.extreme):
        return None
    plain = plain_question(MaskedQuestion(question)).text if intent.operator else question
    words = [word.lower() for word in re.findall(r"[^\W_]+", plain)]
    label = _label(context, words)
    if label is None:
        return None
    said = {*FUNCTION_WORDS, *EMPTY, *intent.extreme.split()}
    rest = [word for word in words if word not in said and not any(is_noun(word, own) for own in name_words(label))]
    if intent.kind == "count" and not intent.operator:
        return None if rest else _count(context, label)
    item = _measure(context, label, intent, rest)
    if item is None:
        return None
    unexplained = [word for word in rest if not any(same_root(word, own) for own in content_words(item.relation))]
    if intent.operator:
        return None if unexplained else _passing(context, label, item.relation, intent)
    last = words.index(intent.extreme.split()[-1]) if intent.extreme.split()[-1] in words else -2
    if any(words.index(word) != last + 1 for word in unexplained):
        return None
    return _extreme(context, label, item.relation, intent)


def _label(context: Context, words: Sequence[str]) -> str | None:
    """The label that the question names, the longest of several."""
    known = {*context.shape.display, *context.shape.values}
    if context.shape.loaded:
        known = {label for hop in context.record.statistics.hops for label in hop.labels}
    named = [label for label in known if all(any(is_noun(word, own) for word in words) for own in name_words(label))]
    return max(named, key=lambda label: (len(label), label), default=None)


def _count(context: Context, label: str) -> Formed:
    rows = context.graph.read(fill("label_count", label=label), excluded=list(context.shape.excluded))
    number = str(rows[0]["nodes"])
    cypher = f"MATCH (node:{quote(label)})\nRETURN count(node) AS nodes"
    return Formed(number, (number,), f"number of: all {label} nodes", (), (), cypher, {}, SURE, joins=True)


def _passing(context: Context, label: str, key: str, intent: Intent) -> Formed | None:
    """The nodes whose value passes the test, or their number."""
    rows = context.graph.read(fill("label_values", label=label, key=key), limit=READ, **context.shape.parameters)
    kept = [(row["name"], text) for row in rows for text in texts(row["value"]) if passes(text, intent)]
    if len(rows) == READ:
        return None
    names = tuple(dict.fromkeys(name for name, _ in kept))
    evidence = tuple(Evidence(Triple(name, key, text), 1) for name, text in kept)
    cypher = _shown(label, key)
    wording = f"{label} with {' '.join(name_words(key))} {intent.operator} {' and '.join(intent.values)}"
    counted = intent.kind == "count"
    answers = (str(len(names)),) if counted else names
    text = f"{len(names)} ({listed(names)})" if counted and names else listed(names) or "none"
    return Formed(text, answers, wording, (), evidence, cypher, {}, SURE, joins=True)


def _shown(label: str, key: str) -> str:
    """A query for people: the nodes of a label in the order of a property."""
    value = f"node.{quote(key)}"
    return (
        f"MATCH (node:{quote(label)})\nWHERE {value} IS NOT NULL\nRETURN node, {value} AS {quote(key)}\n"
        f"ORDER BY coalesce(toFloatOrNull({value}), {value})"
    )


def _extreme(context: Context, label: str, key: str, intent: Intent) -> Formed | None:
    """The nodes with the extreme value of a property."""
    rows = context.graph.read(
        fill("label_extremes", label=label, key=key),
        greatest=intent.direction == "greatest",
        limit=LIMIT,
        **context.shape.parameters,
    )
    names = tuple(row["name"] for row in rows)
    evidence = tuple(Evidence(Triple(row["name"], key, ", ".join(texts(row["value"]))), 1) for row in rows)
    order = " DESC" if intent.direction == "greatest" else ""
    cypher = f"{_shown(label, key)}{order}\nLIMIT 10"
    wording = f"{label} with the {intent.direction} {' '.join(name_words(key))}"
    return Formed(listed(names), names, wording, (), evidence, cypher, {}, SURE, joins=True) if names else None


def _measure(context: Context, label: str, intent: Intent, rest: Sequence[str]) -> HopStatistics | None:
    """The property of the label that is compared."""
    keys = context.shape.values.get(label, {})
    items = [item for item in context.record.statistics.hops if item.value and item.relation in keys]
    dates = [item for item in items if values_are(DATE, item)]
    numbers = [item for item in items if item not in dates and values_are(NUMBER, item)]
    return most_like(
        context,
        [*dates, *numbers],
        preferred=dates if intent.extreme in OF_TIME else numbers,
        words=rest,
        phrase=" ".join((intent.extreme or intent.operator, *rest)),
    )
