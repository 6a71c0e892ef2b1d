"""Many examples in one pack: what their prompts share at the beginning is computed once, as at inference.

The prompts of a task have the same instructions and differ in their last lines. A pack is this beginning, then the
rests of several examples. Keys and values of the beginning are computed once, through which every rest is read, so that
each sees the beginning and itself alone: the losses are those of the examples one by one, for a third of the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kgneo.llm.transformers_model import cache_name

__all__ = ["Encoded", "Pack", "collate", "packs", "replies_loss"]

LONGER = 100
"""Tokens by which a beginning must be longer than that of all examples for these to be packed apart."""
IGNORED = -100
"""Label of tokens that are not learnt."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An example as tokens. `kind` is what its prompt shares with others: all messages but the last one's end."""

    kind: object
    prompt: tuple[int, ...]
    reply: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """The tokens of a common beginning, and for each example its own tokens and how many of them are the reply."""

    beginning: tuple[int, ...]
    rests: tuple[tuple[tuple[int, ...], int], ...]

    def __len__(self) -> int:
        """Tokens that are computed: rests are filled up to the longest."""
        return len(self.beginning) + len(self.rests) * max(len(tokens) for tokens, _ in self.rests)


def packs(examples: Iterable[Encoded], longest: int) -> list[Pack]:
    """All examples in packs of at most `longest` tokens, those of a kind and of like length together.

    An example that alone is longer has a pack to itself.
    """
    by_kind: dict[object, list[Encoded]] = {}
    for example in examples:
        by_kind.setdefault(example.kind, []).append(example)
    return [pack for kind in by_kind.values() for same in _alike(kind) for pack in _packed(same, longest)]


def _alike(examples: Sequence[Encoded]) -> Iterator[Sequence[Encoded]]:
    """Those that share more than all do, as the schema of one graph, apart, where that saves tokens; and the rest."""
    base, rest = _shared(examples), list[Encoded]()
    for run in _runs(sorted(examples, key=lambda item: item.prompt), base + LONGER):
        if (len(run) - 1) * (_shared(run) - base) > base:
            yield run
        else:
            rest += run
    if rest:
        yield rest


def _runs(ordered: Sequence[Encoded], least: int) -> Iterator[Sequence[Encoded]]:
    """Neighbours that share at least so many tokens."""
    start = 0
    for end in range(1, len(ordered) + 1):
        if end == len(ordered) or ordered[end - 1].prompt[:least] != ordered[end].prompt[:least]:
            yield ordered[start:end]
            start = end


def _packed(examples: Sequence[Encoded], longest: int) -> Iterator[Pack]:
    shared = _shared(examples)
    beginning, rests = examples[0].prompt[:shared], list[tuple[tuple[int, ...], int]]()
    for example in sorted(examples, key=lambda item: len(item.prompt) + len(item.reply)):
        rest = (*example.prompt[shared:], *example.reply)
        if rests and shared + (len(rests) + 1) * len(rest) > longest:
            yield Pack(beginning, tuple(rests))
            rests = []
        rests.append((rest, len(example.reply)))
    yield Pack(beginning, tuple(rests))


def _shared(examples: Sequence[Encoded]) -> int:
    """Tokens that all prompts begin with; each keeps at least its last one, which says the reply's first."""
    first = examples[0].prompt
    shared = min(len(example.prompt) for example in examples) - 1
    for example in examples:
        same = next((place for place in range(shared) if example.prompt[place] != first[place]), shared)
        shared = min(shared, same)
    return shared


def collate(batch: Sequence[Pack]) -> dict[str, Any]:
    """The packs as tensors, and in `labels` all tokens of replies, which the trainer counts."""
    import torch

    made = [_tensors(pack) for pack in batch]
    labels = torch.cat([pack["labels"].flatten() for pack in made])
    return {"packs": made, "labels": labels[labels != IGNORED]}


def _tensors(pack: Pack) -> dict[str, Any]:
    import torch

    shared, length = len(pack.beginning), max(len(tokens) for tokens, _ in pack.rests)
    tokens = torch.zeros(len(pack.rests), length, dtype=torch.long)
    labels = torch.full_like(tokens, IGNORED)
    seen = torch.zeros(len(pack.rests), shared + length, dtype=torch.long)
    for row, (rest, replied) in enumerate(pack.rests):
        tokens[row, : len(rest)] = torch.tensor(rest)
        labels[row, len(rest) - replied : len(rest)] = tokens[row, len(rest) - replied : len(rest)]
        seen[row, : shared + len(rest)] = 1
    beginning = torch.tensor([pack.beginning], dtype=torch.long)
    return {"beginning": beginning, "tokens": tokens, "labels": labels, "seen": seen}


def replies_loss(model: Any, inputs: Any, replies: Any, *, light: bool = False) -> Any:
    """The loss of a causal language model of transformers on the tokens of replies: their sum divided by `replies` or,
    where that is None, by their number. Only for these tokens the words' scores are computed. With `light`, no gradient
    goes through how beginnings are read: the same loss for less memory and time."""
    return sum(_summed_loss(model, pack, light=light) for pack in inputs["packs"]) / (
        len(inputs["labels"]) if replies is None else replies
    )


def _summed_loss(model: Any, pack: Any, *, light: bool) -> Any:
    import torch

    before, name = None, cache_name(model.model)
    if pack["beginning"].shape[1]:
        with torch.set_grad_enabled(torch.is_grad_enabled() and not light):
            before = getattr(model.model(input_ids=pack["beginning"], use_cache=True), name)
        before.batch_repeat_interleave(len(pack["tokens"]))
    hidden = model.model(
        input_ids=pack["tokens"], attention_mask=pack["seen"], use_cache=before is not None, **{name: before}
    ).last_hidden_state
    wanted = pack["labels"][:, 1:] != IGNORED
    scores = model.lm_head(hidden[:, :-1][wanted]).float()
    return torch.nn.functional.cross_entropy(scores, pack["labels"][:, 1:][wanted], reduction="sum")
