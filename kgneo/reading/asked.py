"""Asked: whether a property may be what a question's word asks for: "where" asks for no number, "who" for no date.

Comes in: what was heard of a question, and what a reading of it asks for. Goes out: whether it may.
"""

from __future__ import annotations

from kgneo.query.graph import Expression, Value
from kgneo.reading.heard import Heard
from kgneo.reading.vocabulary import LIFELESS, MEASURED

PEOPLE_WORDS = {"who", "whom"}


def may_be_asked_for(heard: Heard, asked: Expression) -> bool:
    """Whether what a reading asks for may be asked for by the question's word. Things, and what is counted, may."""
    if not isinstance(asked, Value) or not asked.key:
        return True
    form, kinds = heard.form, {key.kind for key in heard.fits.keys if key.key == asked.key}
    if form.word == "where":
        return heard.fits.says_where(asked.key)
    if form.much:
        return kinds.isdisjoint(LIFELESS)
    return PEOPLE_WORDS.isdisjoint((form.word, *heard.plain[:1])) or kinds.isdisjoint(MEASURED)
