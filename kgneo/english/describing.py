"""How people ask what there is to know about one thing: constructions as data.

Each has an example, which is its test. X stands for a name; no word of a field is here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_KNOWING = r"(?:information|info|details?|facts?|data|knowledge|everything|anything|something|all|more)"
_FIRST = r"(?:(?:please|can you|could you|would you|hi|hello) )*"


@dataclass(frozen=True)
class Describing:
    """A whole question for what is known of X, with an example."""

    pattern: str
    example: str

    def is_asked(self, masked: str) -> bool:
        """Whether a question is this, whose name is the sign X."""
        pattern = rf"{_FIRST}{self.pattern}".replace(" ", r"\s+")
        return re.fullmatch(rf"\s*{pattern}\s*[.?!]*\s*", masked, re.IGNORECASE) is not None


CUES = (
    Describing(rf"tell (?:me|us) (?:a bit |a little )?(?:{_KNOWING} )?(?:you know )?about X", "TELL ME ABOUT Ann."),
    Describing(r"what (?:do|can|could) you (?:know|tell me|tell|say) about X", "WHAT DO YOU KNOW ABOUT Ann?"),
    Describing(r"what (?:is|do we) known? about X", "WHAT IS KNOWN ABOUT Ann?"),
    Describing(r"what does (?:the|this) (?:graph|database) (?:know|say|hold|have) about X",
               "WHAT DOES THE GRAPH KNOW ABOUT Ann?"),
    Describing(rf"(?:(?:give|show|get|find) (?:me |us )?)?(?:all |the |some |any )*{_KNOWING} (?:about|on|of|for) X",
               "SHOW ME ALL INFORMATION ON the Kettle"),
    Describing(r"(?:describe|introduce|summari[sz]e) X", "DESCRIBE the Kettle."),
    Describing(r"(?:who|what)(?: or what)? (?:is|are|was|were) X", "WHO IS Ann?"),
    Describing(r"X", "Ann"),
)  # fmt: skip
"""The questions, of which each is a whole one."""


def asks_about(masked: str) -> bool:
    """Whether a question asks what there is to know of what stands as X in it."""
    return any(cue.is_asked(masked) for cue in CUES)
