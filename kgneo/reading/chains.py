"""Chains: what the ranking of relation paths makes of a question that names a single thing, as trees.

Comes in: what was heard of the question, and a ranking of the paths that leave what it names. Goes out: trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kgneo.english.intent import plain_question
from kgneo.english.names import is_noun, name_words
from kgneo.english.question import MaskedQuestion
from kgneo.english.words import FUNCTION_WORDS, NAMING, PEOPLE
from kgneo.model import Hop, RelationPath, split_value_relation
from kgneo.ranking.rank import RankedPath
from kgneo.reading.grow import Join, Thing, Tree
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning, Mention
from kgneo.reading.vocabulary import Key

Chains = Callable[[MaskedQuestion, Meaning], Sequence[RankedPath]]
"""The relation paths that leave the nodes of a meaning, ranked against a question in which it is masked."""


@dataclass(frozen=True)
class Chained:
    """The chains from what one question names."""

    heard: Heard
    chains: Chains

    def trees(self, number: int) -> list[Tree]:
        """What the ranking of relation paths makes of a question that names one thing."""
        if self.heard.counts_named:
            return []
        mention = self.heard.mentions[number]
        best = mention.meanings[0].score
        found = []
        for meaning in mention.meanings[:3]:
            if meaning.score < best - 0.35 or meaning.key is None or meaning.key.of_edge:
                continue
            for ranked in self.chains(self._masked(mention, meaning), meaning)[:12]:
                tree = self._tree_of(ranked.path, number, meaning)
                if self.heard.form.word == "when" and (tree.asked is None or tree.asked.kind not in ("date", "time")):
                    continue
                listed = tree.asked is not None and tree.asked.of_edge and tree.asked.kind != "number"
                if listed and self.heard.form.kind == "count":
                    continue
                score = ranked.score + 2.0 * (meaning.score - best)
                found.append(replace(tree, score=score))
        return found

    def _masked(self, mention: Mention, meaning: Meaning) -> MaskedQuestion:
        """The question with the named thing, and the words for its kind and its property, as one place."""
        first, last = mention.start, mention.end
        for index in range(mention.start - 1, max(mention.start - 7, -1), -1):
            if index in mention.also or self._is_kind(index, meaning.owner):
                first = index
            elif self.heard.plain[index] not in FUNCTION_WORDS | NAMING:
                break
        while last < len(self.heard.words) and self._is_kind(last, meaning.owner):
            last += 1
        start, end = self.heard.words[first].start, self.heard.words[last - 1].end
        masked = MaskedQuestion(self.heard.text, ((start, end),), (meaning.owner,))
        return plain_question(masked)

    def _is_kind(self, index: int, label: str) -> bool:
        own = name_words(label)
        if is_noun(self.heard.plain[index], own[-1]) or self.heard.plain[index] in own:
            return True
        return self.heard.plain[index] in PEOPLE - {"who"} and index > 0 and self._is_person(label)

    def _is_person(self, label: str) -> bool:
        return self.heard.fits.people[label] > 0.3

    def _tree_of(self, path: RelationPath, number: int, meaning: Meaning) -> Tree:
        """A relation path as a tree: what it leads to first, what is named last."""
        hops = list(path.hops)
        asked = hops.pop() if hops[-1].value else None
        relation, key_text = split_value_relation(asked.relation) if asked else ("", "")
        if relation and asked:
            hops.append(Hop(relation, asked.forward, asked.labels))
        implied = None if asked else self._implied_key(meaning.owner, hops)
        if implied is not None:
            hops.pop()
        labels = self._labels(meaning.owner, hops)
        many = [False, *(len(hop.labels) != 1 and not label for hop, label in zip(hops, labels[1:], strict=True))]
        size = len(labels)
        places = {label: item for item, there in enumerate(self.heard.mentions) for label in
                  [there.meanings[0].owner] if there.meanings[0].kind == "label"}  # fmt: skip
        assert meaning.key is not None
        things = [
            Thing("" if many[at] and not labels[at] else labels[at], number if not at else places.get(labels[at], -1),
                  labels[at] in places, ((meaning.key, meaning.values),) if not at else (), loose=many[at])
            for at in reversed(range(size))
        ]  # fmt: skip
        joins = tuple(
            _join(size - 2 - at, hop, size - 1 - at, both=labels[at] == labels[at + 1] and self._holds_both_ways(hop))
            for at, hop in enumerate(hops)
        )
        owner = relation or labels[-1]
        key = implied or next((key for key in self.heard.fits.keys if (key.owner, key.key) == (owner, key_text)), None)
        if asked and key is None:
            key = Key(owner, key_text, of_edge=bool(relation))
        used = frozenset(range(self.heard.mentions[number].start, self.heard.mentions[number].end))
        return Tree(tuple(things), joins, 0.0, key, ((number, size - 1),), used)

    def _labels(self, label: str, hops: Sequence[Hop]) -> list[str]:
        """The labels along hops from nodes of one; empty where there are several."""
        labels = [label]
        for hop in hops:
            steps = self.heard.fits.vocabulary.leaving.get(labels[-1], ())
            ends = {step.label for step in steps if (step.relation, step.forward) == (hop.relation, hop.forward)}
            alone = ends.pop() if len(ends) == 1 else ""
            known = [label for label in hop.labels if label in self.heard.fits.vocabulary.labels]
            labels.append(known[0] if known else alone)
        return labels

    def _implied_key(self, label: str, hops: Sequence[Hop]) -> Key | None:
        """The property that the last of several hops is, where the vocabulary takes its relation for one."""
        *before, last = hops
        owner = self._labels(label, before)[-1]
        keys = [key for key in self.heard.fits.vocabulary.keys_of(owner) if key.key == last.relation and last.forward]
        return keys[0] if keys and not keys[0].of_edge else None

    def _holds_both_ways(self, hop: Hop) -> bool:
        return self.heard.fits.vocabulary.is_symmetric(hop.relation)


def _join(source: int, hop: Hop, target: int, *, both: bool) -> Join:
    """A hop of a chain, as a tree is joined: the other way round, without a direction where it holds both ways."""
    return Join(source, hop.relation, both or not hop.forward, target, not both)
