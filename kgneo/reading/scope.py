"""Scope: what a negation denies: who has "NEVER been on a stage in a concert" has been in none.

Comes in: a tree of what a question mentions. Goes out: the tree in which one relationship must not be there for each
negation: of those behind it the one nearest to what is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.reading.grow import Tree
from kgneo.reading.mentions import Mention


def scoped(tree: Tree, mentions: Sequence[Mention], negations: Sequence[int]) -> Tree:
    """A tree whose absent relationships lead from what is named before the negation to what is named behind it."""
    starts = {number: thing.said for number, thing in enumerate(tree.things) if thing.said >= 0}
    starts |= {place: mentions[number].start for number, place in reversed(tree.places) if number >= 0}
    joins = list(tree.joins)
    for at, join in enumerate(tree.joins):
        above = next((place for place, other in enumerate(joins) if other.target == join.source), None)
        denied = max((index for index in negations if index < starts.get(join.target, -1)), default=-1)
        if not join.absent or above is None or denied < 0 or joins[above].source != 0:
            continue
        behind = starts.get(joins[above].target, -1) > denied
        joins[at] = replace(join, absent=not behind)
        joins[above] = replace(joins[above], absent=behind or (joins[above].absent and len(negations) > 1))
    return replace(tree, joins=tuple(joins))
