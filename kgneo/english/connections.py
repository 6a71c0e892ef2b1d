"""How people ask what lies between two things, around one, or above and below it: constructions as data.

A construction is a pattern with an example. Patterns are regular expressions in which {class} is a word or two of a
closed class, {name}, {other} and {avoided} are names, in [brackets] or without, {kind} is what is asked for, {number} a
number, and a space any white space. No word of a field stands here: what joins things is told by the names of a graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Asks = Literal["ways", "shortest", "length", "exists", "within", "between", "common"]
"""What is asked of a connection: how it comes about, the shortest ways alone, how many steps it has, whether there is
one, what is near, what stands on it, what both ends are joined to."""
Place = Literal["below", "above", "under"]

_BE = "is|are|was|were"
CLASSES: dict[str, str] = {
    "be": _BE,
    "connected": "connected|linked|related|associated|joined|tied|connect|relate|link|hang together",
    "connect": "connects|links|relates|joins|ties|connect|link|relate|join|tie",
    "connection": "connections?|links?|relationships?|relations?|ties?",
    "path": "paths?|ways?|routes?|chains?(?: of (?:connections?|relationships?|links?))?",
    "shortest": "shortest|quickest|closest|nearest|most direct|direct",
    "steps": "steps?|hops?|links?|edges?|relationships?|connections?|handshakes?|jumps?|degrees?(?: of separation)?",
    "lie": f"{_BE}|lies?|stands?|sits?|comes?|{_BE} (?:located|found|placed)",
    "thing": "what|who|which",
    "every": "all|every|everything|everyone|everybody|anything|anyone|anybody|everyone else|all things|all nodes",
    "near": "reachable|reached|connected|found|located|to be found",
    "by_way": "through|via|over|by way of|past|by|across",
    "both": "both|each of",
    "please": "please |can you |could you |show me |tell me |give me |find |list |name |show |display |explain ",
}
"""Closed classes of words that constructions have slots for."""
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_NAME = r"(?P<{}>\[[^\]]+\]|[^,;?!\[\]]+?)"
_SLOTS = {name: f"(?:{words})" for name, words in CLASSES.items()} | {
    "name": _NAME.format("name"),
    "other": _NAME.format("other"),
    "kind": r"(?P<kind>[^,;?!\[\]]+?)",
    "number": rf"(?P<number>\d+|{'|'.join(NUMBERS)}|a|single)",
}


@dataclass(frozen=True)
class Construction:
    """A whole question, with an example of it."""

    asks: Asks
    pattern: str
    example: str

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression."""
        return re.compile(rf"(?:{{please}})*{self.pattern}[ ?.!]*".format(**_SLOTS).replace(" ", r"\s+"), re.IGNORECASE)


_ENDS = "(?:between |from |of |connecting |joining |linking )?{name} (?:and|to|with|from) {other}"
_AWAY = "(?:(?:from|of|to|away from|around|out from) )"
CONSTRUCTIONS = (
    Construction("length", "(?:at )?(?:how many|what number of) {steps} (?:away )?(?:{be} )?(?:there )?" + _ENDS + "(?: apart)?",
                 "How many steps is Ann from Bob?"),
    Construction("length", "(?:in )?how many {steps} (?:does it take|do you need|{be} needed|lead|would it take|do i need)"
                 "(?: to (?:get|go|come|reach|travel|walk))? " + _ENDS, "How many steps does it take to get from Ann to Bob?"),
    Construction("length", "how many {steps} (?:separate|lie between|apart {be}|away {be}|connect|{be} between|apart) " + _ENDS
                 + "(?: apart)?", "How many steps separate Ann and Bob?"),
    Construction("length", "how (?:far|distant|close) (?:apart |away )?{be} " + _ENDS + "(?: apart)?(?: in the (?:graph|network))?",
                 "How far is Ann from Bob?"),
    Construction("length", "(?:what {be} )?(?:the )?(?:length of (?:the )?(?:{shortest} )?{path}|distance|(?:number|degree)s? of "
                 "(?:{steps}|separation)) (?:in the {path} )?" + _ENDS, "What is the distance between Ann and Bob?"),
    Construction("shortest", "(?:what {be} |how (?:do|can|would|could) (?:i|you|we|one) (?:get|go|come) (?:by )?)?(?:the |an? )?"
                 "{shortest} (?:{path}|{connection}) " + _ENDS, "What is the shortest path from Ann to Bob?"),
    Construction("shortest", "(?:what {be} )?(?:the )?{path} " + _ENDS, "The path from Ann to Bob"),
    Construction("ways", "(?:how|in what way|in which way|through (?:what|whom|which things)) (?:exactly )?(?:{be}|do|does|might|can"
                 "|could) (?:it that )?{name} (?:and|to|with) {other} (?:be )?(?:indirectly )?(?:{connected}|know (?:each other|one another))"
                 "(?: to each other| with each other| with one another)?", "How are Ann and Bob connected?"),
    Construction("ways", "how {be} {name} (?:indirectly )?{connected} (?:to|with|and) {other}", "How is Ann related to Bob?"),
    Construction("ways", "what {connect} " + _ENDS + "(?: together)?", "What connects Ann and Bob?"),
    Construction("ways", "(?:what {be} )?(?:the |any |all )?{connection} " + _ENDS, "What is the connection between Ann and Bob?"),
    Construction("exists", "(?:{be} there|do we have|does there exist) (?:an? |any |some )?(?:{shortest} )?(?:{path}|{connection}) "
                 "(?:to (?:get|go|come) )?" + _ENDS + "(?: at all)?", "Is there a way from Ann to Bob?"),
    Construction("exists", "{be} {name} (?:and|to|with) {other} (?:{connected})(?: at all| in any way| somehow| to each other)*",
                 "Are Ann and Bob connected?"),
    Construction("exists", "{be} {name} (?:in any way |somehow |indirectly )*(?:{connected}) (?:to|with|and) {other}"
                 "(?: at all| in any way| somehow)*", "Is Ann connected to Bob?"),
    Construction("exists", "can (?:you|one|we|i) (?:get|go|come|reach|walk) (?:from )?{name} (?:to|from) {other}",
                 "Can one get from Ann to Bob?"),
    Construction("between", "{thing} (?:{kind} )?(?:{lie}) (?:on )?(?:somewhere )?(?:in )?between {name} and {other}",
                 "Which suppliers stand between Ann and Bob?"),
    Construction("between", "(?:{thing} |the )?{kind} (?:that |which |who )?(?:{lie}) (?:somewhere )?(?:in )?between {name} and {other}",
                 "The suppliers that are between Ann and Bob"),
    Construction("between", "{thing} (?:{kind} )?(?:{lie}) (?:on|along) (?:a |the |any )?(?:{shortest} )?(?:{path}|{connection}) "
                 + _ENDS, "Which suppliers are on the shortest path from Ann to Bob?"),
    Construction("within", "(?:{thing} )?(?:{every} )?(?:of )?(?:the )?(?:{kind} )?(?:that |which |who )?(?:(?:{lie}) |can be )?(?:{near} )?"
                 "(?:within|at most|in at most|no more than|not more than|up to|in up to|in) {number} {steps} (?:away )?" + _AWAY
                 + "{name}", "Everything within two steps of Ann"),
    Construction("within", "(?:{thing} )?(?:{every} )?(?:of )?(?:the )?(?:{kind} )?(?:that |which |who )?(?:(?:{lie}) |can be )?(?:{near} )?"
                 "(?P<exact>(?:exactly |precisely |just )?){number} {steps} (?:away )?" + _AWAY + "{name}", "Who is two steps from Ann?"),
    Construction("common", "(?:{thing} )?(?:{be} |do we have as )?(?:the |all )?(?:common|mutual|shared|joint) {kind} (?:of|between|for|to|that"
                 " {be} between) {name} and {other}", "Common friends of Ann and Bob"),
    Construction("common", "{thing} (?:{kind} )?(?:do|does|{be}|have|has) (?:{both} )?{name} and {other} (?:{both} )?(?:have in common|share"
                 "|common to|in common)", "What do Ann and Bob have in common?"),
    Construction("common", "{thing} (?:{kind} )?(?:do|does|did|have|has|{be}) (?:{both} )?{name} and {other} {both} "
                 "(?P<verb>[^,;?!\\[\\]]+?)", "Who do Ann and Bob both know?"),
    Construction("common", "{thing} (?:{kind} )?(?:do|does|did|have|has|{be}) {both} {name} and {other} (?P<verb>[^,;?!\\[\\]]+?)",
                 "Which clubs did both Ann and Bob join?"),
)  # fmt: skip
"""Whole questions, in the order in which they are tried."""

AVOIDED = re.compile(
    r"(?:,\s*)?\s+(?:(?:that|which|and)\s+)?(?:without\s+(?:going\s+|passing\s+|leading\s+|using\s+|touching\s+)?"
    r"(?:through\s+|via\s+|over\s+|by\s+(?:way\s+of\s+)?|past\s+)?|(?:that\s+|which\s+)?(?:avoids?|avoiding|bypass(?:es|ing)?)\s+"
    r"|(?:(?:do|does)\s+)?not\s+(?:going\s+|passing\s+|go\s+|pass\s+|lead\s+|leading\s+|use\s+|using\s+|run\s+)?"
    r"(?:through|via|over|by|past|across|involve|involving|touch|using|use)\s+|(?:other\s+than|except|but\s+not)\s+(?:through|via|by)\s+)"
    r"(?P<avoided>\[[^\]]+\]|[^,;?!\[\]]+?)(?=[\s?.!]*$)",
    re.IGNORECASE,
)
"""What is not to be on a way: "WITHOUT PASSING THROUGH Cy"; at the end of a question."""
ALONG = re.compile(
    r"(?:,\s*)?\s+(?:using|through|via|along|by|over|following|counting|considering)\s+(?:only\s+|just\s+|nothing\s+but\s+)?"
    r"(?:the\s+)?(?P<along>[^,;?!\[\]]+?)(?:\s+(?:relationships?|links?|edges?|relations?|connections?|ties?|steps?))?"
    r"(?:\s+(?:only|alone))?(?=[\s?.!]*$)",
    re.IGNORECASE,
)
"""Along what a way is to lead alone: "THROUGH KNOWS RELATIONSHIPS ONLY"."""
AT_MOST = re.compile(
    rf"\s+(?:with)?in\s+(?:at\s+most\s+|up\s+to\s+|no\s+more\s+than\s+)?(?P<number>\d+|{'|'.join(NUMBERS)})\s+"
    rf"(?:{CLASSES['steps']})(?:\s+or\s+(?:less|fewer))?(?=[\s?.!]*$)",
    re.IGNORECASE,
)
"""How long a way may be: "IN AT MOST THREE STEPS"."""

AT_ANY_DEPTH = re.compile(
    r",?\s*(?:\b(?:either\s+)?(?:directly|immediately)\s*(?:or|and|,)\s*(?:or\s+)?(?:indirectly|through\s+others|not|otherwise|"
    r"transitively|via\s+others)|\b(?:in)?directly\s+or\s+(?:in)?directly|\b(?:direct|immediate)\s+(?:or|and)\s+indirect|"
    r"\bindirect\s+(?:or|and)\s+direct|\b(?:at|on|in|to|of|through|across|over)\s+(?:any|all|every|whatever|each|arbitrary)\s+(?:the\s+)?"
    r"(?:levels?|depths?|degrees?|stages?|tiers?)(?:\s+(?:of\s+(?:the\s+)?(?:hierarchy|tree|depth|nesting)|down|up))?|"
    r"\ball\s+the\s+way\s+(?:up|down)(?:\s+(?:to\s+the\s+(?:top|bottom)|the\s+(?:chain|hierarchy|tree)))?|\btransitively|\brecursively|"
    r"\bno\s+matter\s+how\s+(?:deep|far|high)(?:\s+(?:down|up))?|\bhowever\s+(?:deep|far|deeply|indirectly)(?:\s+(?:down|up))?|"
    r"\b(?:somewhere|anywhere)\s+(?=below|under|above|beneath|in\b|inside|within|over|down|up)|"
    r"\b(?:up|down)\s+the\s+(?:whole\s+)?(?:chain|hierarchy|tree|ladder)|\bindirectly|\bdirectly\s+and\s+indirectly|"
    r"\bor\s+(?:any|one|some)\s+of\s+(?:its|their|his|her)\s+(?:sub-?)?\w+|\bincluding\s+(?:all\s+)?(?:indirect\s+ones|(?:the\s+)?nested"
    r"\s+ones|(?:those|the ones)\s+of\s+\w+))",
    re.IGNORECASE,
)
"""That something may be joined through others of its kind: "who reports to Ann, DIRECTLY OR INDIRECTLY"."""

LOWER = frozenset(
    "below under beneath underneath descendant descendants subordinate subordinates down inside within".split()
)
UPPER = frozenset("above over ancestor ancestors superior superiors up top root head highest topmost".split())
"""Words for what is further down, or further up, in what is built of levels."""
LEVELS = frozenset(
    "level levels layer layers deep depth generation generations tier tiers hierarchy chain tree steps step".split()
)
"""Words for how far."""
TOP = frozenset("top root topmost uppermost head highest ultimate".split())
BOTTOM = frozenset("leaf leaves bottom lowest lowermost".split())
"""Words for where nothing is further up, or further down."""
