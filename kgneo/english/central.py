"""How people ask what stands out in a network, and what is like something: constructions as data.

Each has an example, which is its test. X stands for a name; no word of a field is here.
"""

from __future__ import annotations

import re
from typing import Literal

from kgneo.english.cue import Cue
from kgneo.english.words import word_set

Asks = Literal["degree", "pagerank", "betweenness", "communities", "components"]

_TIES = "connections?|links?|relationships?|neighbou?rs?|ties|edges"
CUES: tuple[Cue[Asks], ...] = (
    Cue("degree", r"(?:least|worst|most poorly) (?:well )?(?:connected|linked|networked)",
        "Who is the LEAST CONNECTED person?", fewest=True),
    Cue("degree", rf"(?:fewest|least|lowest number of|smallest number of) (?:{_TIES})",
        "Which person has the FEWEST CONNECTIONS?", fewest=True),
    Cue("degree", r"(?:most|best|most highly|most densely|most strongly) (?:well )?(?:connected|linked|networked)",
        "Who is the MOST CONNECTED person?"),
    Cue("degree", rf"(?:most|highest number of|largest number of|greatest number of) (?:{_TIES})",
        "Which person has the MOST CONNECTIONS?"),
    Cue("degree", r"(?:highest|greatest|largest) degree|degree centrality|by degree|hubs?",
        "What are the HUBS of the network?"),
    Cue("betweenness", r"(?:(?:highest|greatest|most) )?between(?:ness|ess)(?: centrality)?|brokers?|bottlenecks?|"
        r"gatekeepers?|go betweens?|bridges? between (?:the )?(?:groups|communities|clusters)|"
        r"(?:holds?|keeps?) (?:the|this) (?:network|graph|whole) together", "Who are the BROKERS of the network?"),
    Cue("pagerank", r"least (?:influential|important|central)", "Who is the LEAST INFLUENTIAL person?", fewest=True),
    Cue("pagerank", r"(?:(?:highest|greatest|largest) )?(?:page ?rank|eigenvector centrality)|"
        r"(?:most|greatest|highest) (?:influential|influence|important|importance|central|centrality|prominent)|"
        r"key (?:players?|figures?|people|persons?|nodes?)", "Who is the MOST INFLUENTIAL person?"),
    Cue("communities", r"communit(?:y|ies)|clusters?|(?:closely|tightly|densely) (?:knit|connected|linked) groups?",
        "What COMMUNITIES are there?"),
    Cue("components", r"(?:separate|disconnected|unconnected|connected) (?:parts?|components?|pieces?)",
        "How many DISCONNECTED PARTS does the graph have?"),
)  # fmt: skip
"""What words ask for, in the order in which they are looked for."""
SAID_WITH = word_set(
    "network graph data database whole overall node nodes entity entities thing things people person one ones anyone "
    "everyone top bottom first rank ranked ranking score scores value according terms based measured central well most "
    "least best know want list show give name find tell identify number many count different form forms fall falls "
    "into split splits consist consists divided size large largest biggest main belong belongs together members member"
)
"""Words that need no explanation beside these cues."""

LIKENESS = re.compile(
    r"\b(?:similar|comparable|akin|alike|like[ds]?|resembl\w+|alternatives?|vein|style|reminds?|closest|nearest|"
    r"recommend|suggest|\w+ (?:what|whatever|the same|same) .*\w)\b",
    re.IGNORECASE,
)
"""Words without one of which no question asks what is like something."""
LIKE = re.compile(
    r"\b(?:(?:most |very |rather |quite )?(?:similar|comparable|akin|alike) (?:to|with)|"
    r"(?:most |much |a lot |more or less )?like|resembl(?:e|es|ing)|alternatives? (?:to|for)|"
    r"in the (?:vein|style) of|reminds? (?:me|us|one)? ?of|(?:closest|nearest) to)\s+(?:the )?(?:\w+ )?X\b",
    re.IGNORECASE,
)
"""Words before the name of what is like something: "What is SIMILAR TO X?"."""
LIKED = re.compile(
    r"\b(?:recommend|suggest)\b.*\b(?:like[ds]?|enjoy(?:ed|s)?|love[ds]?|know|knows|bought|had) (?:the )?(?:\w+ )?X\b",
    re.IGNORECASE,
)
"""The same, of what somebody is fond of: "RECOMMEND something for those who LIKED X"."""
LIKE_WITH = word_set(
    "similar most like alike thing things something anything someone anyone somebody one ones other others else more "
    "kind kinds which what who whom list show give name find tell recommend suggest me us people person those "
    "liked likes like enjoyed loved love alternatives alternative resemble resembles resembling closest nearest very "
    "rather quite comparable akin vein style remind reminds would also might should could watch read try buy see look "
    "know top recommendations suggestions based want"
)
"""Words that need no explanation beside these."""
SAME_AS = re.compile(
    r"^(?:which|what|who|list|show|find|name)\b(?P<kind>[^X]*?)\b(?P<verb>\w+) (?:what|whatever|(?:the )?same "
    r"(?:\w+ )?(?:as|that)) (?:the )?(?:\w+ )?X\b(?: (?:does|did|do|\w+))?[?.! ]*$",
    re.IGNORECASE,
)
"""Things that do what X does: "Which customers BUY WHAT X buys?"."""
