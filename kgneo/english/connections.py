"""How people ask what lies between two things, around one, or above and below it: constructions as data.

A cue is a pattern with an example. Patterns are regular expressions in which {class} is a word of a closed class, X a
name, and a space any white space. No word of a field stands here: what joins things is told by the names of a graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kgneo.english.words import word_set

Asks = Literal["ways", "shortest", "length", "exists", "within", "between", "common"]
"""What is asked of a connection: how it comes about, the shortest ways alone, how many steps it has, whether there is
one, what is near, what stands on it, what both ends are joined to."""


@dataclass(frozen=True)
class Cue:
    """What words ask for, beside names that stand as "X" in the pattern, with an example."""

    asks: Asks
    pattern: str
    example: str

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression; {class} is a word of a closed class."""
        return re.compile(self.pattern.format(**_SLOTS).replace(" ", r"\s+"), re.IGNORECASE)


CONNECTED = word_set(
    "connected linked related associated joined tied connect connects link links relate relates join joins tie ties "
    "connection connections relationship relationships relation relations hang path paths way ways "
    "route routes "
    "chain chains line lines get gets reach reaches reachable lead leads leading go goes come comes travel bridge"
)
"""Words for being joined by ways."""
MOVING = word_set("get gets lead leads leading go goes come comes travel line lines")
"""Those of them that say so only of what they lead to or from: not "can I GET into X with Y"."""
STEPS = word_set(
    "step steps hop hops move moves link links edge edges handshake handshakes jump jumps degree degrees separation"
)
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ASKING = "is|are|was|were|can|could|do|does|did|has|have|will|would"
_SLOTS = {
    "steps": rf"(?:{'|'.join(sorted(STEPS))}|relationships?|connections?)",
    "number": rf"(?P<number>\d+|{'|'.join(NUMBERS)}|a|single)",
    "connected": rf"(?:{'|'.join(sorted(CONNECTED))})",
    "joined": rf"(?:(?:{'|'.join(sorted(CONNECTED - MOVING))})\b|"
    rf"(?:{'|'.join(sorted(MOVING))})\b.*\b(?:to|from|between) (?:\w+ ){{0,2}}X)",
    "asking": f"(?:{_ASKING})",
    "both": r"X,? (?:and|or|&|as well as) (?:\w+ ){0,3}X",
}
CUES = (
    Cue("within", r"\b(?:(?P<exact>exactly|precisely|just) )?{number}(?: or (?:fewer|less))?[- ]{steps}(?: or "
    r"(?:fewer|less))? "
        r"(?:away )?(?:of|from|to|away from|around) (?:the )?(?:\w+ )?X", "Everything within TWO STEPS OF X"),
    Cue("within", r"X\b.*\b(?:(?P<exact>exactly|precisely) )?{number}(?: or (?:fewer|less))?[- ]{steps}",
        "What can be reached from X in TWO STEPS?"),
    Cue("length", r"\bhow many {steps}\b|\bhow (?:far|distant|close)\b|\bdistance\b|\bnumber of {steps}|"
        r"\bdegrees? of separation|\blength of\b|\bhow long\b", "HOW MANY STEPS are between X and X?"),
    Cue("common", r"{both}.*\b(?:common|mutual|shared?|shares)\b|\b(?:common|mutual|shared?|shares)\b.*{both}|"
        r"X\b.*\b(?:common|shares?)\b.*\bwith (?:\w+ ){{0,3}}X", "What do X and X have in COMMON?"),
    Cue("between", r"\b(?:what|which|who|kinds?|sorts?|types?|list|name|everything|everyone)\b.*(?:\bbetween X|"
        r"\b(?:on|along) (?:a |the |any |every )?(?:\w+ )?{connected}\b)", "WHICH suppliers stand BETWEEN X and X?"),
    Cue("exists", r"^(?:so |then |tell me |say )?(?:if|whether)?.*?(?:^|[,:;] ?){asking}\b.*\b{joined}|"
        r"\b(?:if|whether) (?:there )?.*\b{joined}|\b(?:is|are) there .*\b{joined}",
        "IS THERE a WAY from X to X?"),
    Cue("shortest", r"\b(?:shortest|quickest|most direct|path|route)\b", "The SHORTEST PATH from X to X"),
    Cue("ways", r"\b(?:connected|linked|related|associated|joined|tied|connects?|links?|relates?|joins?|ties?|"
    r"hang together|"
        r"connections?|relationships?|relations?|ways?|chains?)\b", "How are X and X CONNECTED?"),
)  # fmt: skip
"""What words ask for, in the order in which they are looked for."""
AVOIDING = re.compile(
    r"\b(?:without|avoid|avoids|avoiding|bypass|bypasses|bypassing|not|never|except|excluding|skip|skips|"
    r"skipping|ignoring|"
    r"leaves?\s+out|leaving\s+out|leaves?\s+aside|leaving\s+aside|around|keeps?\s+clear\s+of|steers?\s+clear\s+of|"
    r"doesn't|don't|minus|sans|barring|miss|misses|missing|circumvents?|stays?\s+away\s+from|apart\s+from|"
    r"other\s+than|but\s+for|cut\s+out|removed?|taking\s+out|take\s+out)\b",
    re.IGNORECASE,
)
"""Words before a name that is not to be on a way."""
AVOIDED = re.compile(
    r"\s*(?:(?:is|are|was|were|would\s+be|had|has|be|being|to\s+be|if)\s+)*(?:been\s+)?(?:not\s+(?:there|"
    r"allowed|used|available)|gone|"
    r"removed|left(?:\s+out|\s+aside)?|quit|quits|taken\s+(?:out|away)|missing|out\s+of|away|deleted|ignored|"
    r"excluded|avoided|skipped|"
    r"(?:did\s+not|didn't)\s+exist|(?:was|were|is)n't|aside|blocked|off\s+limits|unavailable)\b",
    re.IGNORECASE,
)
"""Words behind such a name: "if X WERE GONE"."""
SAID_WITH = CONNECTED | STEPS | word_set(
    "apart away separate separates separated shortest quickest closest direct distance far length long within "
    "most least "
    "exactly number lie lies stand stands sit sits between kind kinds sort sorts type types thing things node "
    "nodes passing "
    "pass passes through via past over touching touch using use without avoid avoids avoiding bypass leaves "
    "leave leaving out "
    "see like show tell explain two each next other others one ever only move moving step take takes took need "
    "needs find "
    "possible somehow everything everyone anything anyone all any at most reached found located common mutual "
    "shared share "
    "shares both indirectly directly exist exists explain describe list name give person people network graph "
    "clear except "
    "gone removed missing removing taken took away were would had been still possible aside minus involving "
    "involves involve touches touching very start starting begin beginning fewer less more "
    "followed following then want know want's let's let us if whether around aside keeps keep steer cut still even"
)  # fmt: skip
"""Words that need no explanation beside these cues."""

AT_ANY_DEPTH = re.compile(
    r",?\s*(?:\b(?:either\s+)?(?:directly|immediately)\s*(?:or|and|,)\s*(?:or\s+)?(?:indirectly|"
    r"through\s+others|not|otherwise|further\s+(?:up|down)|"
    r"transitively|via\s+others)|\b(?:in)?directly\s+or\s+(?:in)?directly|\b(?:direct|immediate)\s+(?:or|"
    r"and)\s+(?:indirect|further\s+(?:up|down)|more\s+distant)|"
    r"\bindirect\s+(?:or|and)\s+direct|\b(?:at|on|in|to|of|through|across|over)\s+(?:any|all|every|whatever|"
    r"each|arbitrary)\s+(?:the\s+)?"
    r"(?:levels?|depths?|degrees?|stages?|tiers?)(?:\s+(?:of\s+(?:the\s+)?(?:hierarchy|tree|depth|nesting)|"
    r"down|up))?|"
    r"\ball\s+the\s+way(?:\s+(?:up|down))?(?:\s+(?:to\s+the\s+(?:very\s+)?(?:top|bottom)|the\s+(?:chain|"
    r"hierarchy|tree)))?|\btransitively|\brecursively|"
    r"\bno\s+matter\s+how\s+(?:deep|far|high)(?:\s+(?:down|up))?|\bhowever\s+(?:deep|far|deeply|"
    r"indirectly)(?:\s+(?:down|up))?|"
    r"\b(?:somewhere|anywhere)\s+(?=below|under|above|beneath|in\b|inside|within|over|down|up)|"
    r"\b(?:up|down)\s+the\s+(?:whole\s+)?(?:chain|hierarchy|tree|ladder)|\bindirectly|\bdirectly\s+and\s+indirectly|"
    r"\bor\s+(?:any|one|some)\s+of\s+(?:its|their|his|her)\s+(?:sub-?)?\w+|"
    r"\bincluding\s+(?:all\s+)?(?:indirect\s+ones|(?:the\s+)?nested"
    r"\s+ones|(?:those|the ones)\s+of\s+\w+))",
    re.IGNORECASE,
)
"""That something may be joined through others of its kind: "who reports to Ann, DIRECTLY OR INDIRECTLY"."""


LOWER = word_set("below under beneath underneath inside within in down downwards downward")
UPPER = word_set("above over atop upwards upward")
"""Words before a name for what is further down, or further up, in what is built of levels."""
HOLDING = word_set("consist consists contain contains comprise comprises include includes need needs")
"""Verbs before the name of what is further down."""
LOWER_KINDS = HOLDING | word_set(
    "descendant descendants subordinate subordinates child children part parts piece pieces component components "
    "ingredient ingredients constituent constituents report reports made composed"
)
UPPER_KINDS = word_set(
    "ancestor ancestors superior superiors boss bosses manager managers supervisor supervisors parent parents "
    "chief chiefs "
    "used ends belong belongs goes"
)
"""Words for what is further down, or further up, than something, and for being so."""
LEVELS = word_set(
    "level levels layer layers deep depth generation generations tier tiers hierarchy chain tree steps step"
)
"""Words for how far."""
TOP = word_set("top root topmost uppermost head highest ultimate ultimately final finally last")
BOTTOM = word_set("leaf leaves bottom lowest lowermost")
"""Words for where nothing is further up, or further down."""
ALL = word_set("all every everything everyone everybody whole entire complete full")
TOLD = word_set(
    "which very eventually end sits sit stands stand works work direct directly indirect indirectly chain "
    "command hierarchy total altogether list show give find name tell member "
    "members node nodes thing things item items many number count person deepest furthest farthest"
)
"""Words that say nothing of what is asked for beside those for levels."""
AT_ONCE = word_set(
    "below under beneath underneath above ancestor ancestors descendant descendants top root topmost uppermost upwards "
    "downwards"
)
"""Words that mean any depth by themselves; "in", "boss" and "part" mean one level where nothing says more."""
