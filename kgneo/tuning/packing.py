"""Many examples in one sequence: what their prompts share at the beginning is computed once, as at inference.

The prompts of a task have the same instructions and differ in their last lines. A pack is this beginning, then the
rests of several examples one after another. A mask lets each rest see the beginning and itself alone, and its
positions go on where the beginning ends; so the losses are those of the examples one by one, for a third of the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["IGNORED", "Encoded", "Pack", "collate", "packs"]

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
        return len(self.beginning) + sum(len(tokens) for tokens, _ in self.rests)


def packs(examples: Iterable[Encoded], longest: int) -> list[Pack]:
    """All examples in packs of at most `longest` tokens, those of a kind together, in the order in which they come.

    An example that alone is longer has a pack to itself.
    """
    by_kind: dict[object, list[Encoded]] = {}
    for example in examples:
        by_kind.setdefault(example.kind, []).append(example)
    return [pack for same in by_kind.values() for pack in _packed(same, longest)]


def _packed(examples: Sequence[Encoded], longest: int) -> Iterator[Pack]:
    shared = _shared(examples)
    beginning, rests, size = examples[0].prompt[:shared], [], shared
    for example in examples:
        rest = (*example.prompt[shared:], *example.reply)
        if rests and size + len(rest) > longest:
            yield Pack(beginning, tuple(rests))
            rests, size = [], shared
        rests.append((rest, len(example.reply)))
        size += len(rest)
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
    """Tensors for a model of transformers: tokens, positions, labels, and a mask of who sees whom."""
    import torch

    length = max(map(len, batch))
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    positions = torch.zeros_like(tokens)
    labels = torch.full_like(tokens, IGNORED)
    # What fills up a row sees itself, since a row of the mask must not be empty.
    seen = torch.eye(length, dtype=torch.bool).repeat(len(batch), 1, 1, 1)
    for row, pack in enumerate(batch):
        shared = len(pack.beginning)
        tokens[row, :shared] = torch.tensor(pack.beginning, dtype=torch.long)
        positions[row, :shared] = torch.arange(shared)
        seen[row, 0, :shared, :shared] = torch.ones(shared, shared).tril().bool()
        start = shared
        for rest, replied in pack.rests:
            end = start + len(rest)
            tokens[row, start:end] = torch.tensor(rest)
            positions[row, start:end] = torch.arange(shared, shared + len(rest))
            labels[row, end - replied : end] = tokens[row, end - replied : end]
            seen[row, 0, start:end, :shared] = True
            seen[row, 0, start:end, start:end] = torch.ones(len(rest), len(rest)).tril().bool()
            start = end
    return {"input_ids": tokens, "position_ids": positions, "labels": labels, "attention_mask": seen}
