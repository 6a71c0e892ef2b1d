"""Lacking: what is not there, said by "missing", "unknown" or "un-", as English says it by "no" and "not".

Comes in: a question. Goes out: the same with "no", "without" or "not" in the place of these words, which the reader
knows: "owners whose phone is missing" are "owners without phone", and "unpaid invoices" "not paid invoices" where the
graph has a word for what is paid. Each construction has an example, which is its test.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kgneo.english.restating import Restating, restated

_LACKED = r"(?:missing|unknown|lacking|absent|not (?:known|recorded|given|set|there|available))"
_IS = r"(?:is|are|was|were)"
_SAID = re.compile(rf"\b(?:{_LACKED}|un[a-z]{{4,}}|non-?[a-z]{{4,}})\b", re.IGNORECASE)
_PREFIX = re.compile(
    rf"(?P<is>\b(?:{_IS}|been|be)\s+(?:still\s+|currently\s+)?)?\b(?P<word>(?:un|non-?)(?P<rest>[a-z]{{4,}}))\b"
    r"(?(is)|(?:\s+(?P<noun>[a-z]{3,}))?)",
    re.IGNORECASE,
)


CONSTRUCTIONS = (
    Restating(rf"^whose (?P<what>.+?) {_IS} {_LACKED}\b", r"who has no \g<what>",
              "Whose date of birth is missing?", "who has no date of birth?"),
    Restating(rf"\bwhose (?P<what>.+?) {_IS} {_LACKED}\b", r"without \g<what>",
              "owners whose phone is missing", "owners without phone"),
    Restating(rf"^(?:for|of) (?P<which>which|what) (?P<of>.+?) {_IS} (?:an? |the |no )?(?P<what>.+?) {_LACKED}\b",
              r"which \g<of> has no \g<what>",
              "For which band is a fee missing?", "which band has no fee?"),
    Restating(r"\b(?:(?:is|are) )?(?:missing|lacking) (?:an? |the |their |its )?(?=\w)", "without ",
              "Which owners are missing a phone?", "Which owners without phone?"),
)  # fmt: skip


def with_no(question: str) -> str:
    """The question with "no" or "without" for what it says is missing."""
    return restated(question, CONSTRUCTIONS)


def with_not(question: str, is_named: Callable[[str], bool]) -> str:
    """The question with "not" for a word's "un-" or "non-", where the rest of it, and not the whole, `is_named`: "are
    not insured" for "are uninsured", "pets of Ann that are not insured" for "uninsured pets of Ann"."""
    found = next((match for match in _PREFIX.finditer(question)
                  if is_named(match["rest"].lower()) and not is_named(match["word"].lower())), None)  # fmt: skip
    if found is None:
        return question
    before, behind, rest = question[: found.start("word")], question[found.end("word") :], found["rest"]
    if found["is"] or not found["noun"]:
        return f"{before}not {rest}{behind}"
    whole = behind.strip().rstrip("?.! ")
    return f"{before}{whole} that are not {rest}{behind.strip()[len(whole) :]}"


def may_lack(question: str) -> bool:
    """Whether a question has a word that may say that something is not there."""
    return bool(_SAID.search(question))
