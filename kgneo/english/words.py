"""Closed classes of English: function words, question words, suffixes. No word of any field is in here."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _words(
    "of in on at by for to from with into onto through as about under over within after before across between"
)
AUXILIARIES = _words(
    "is are was were be been being am do does did done has have had having can could will would shall should "
    "may might must"
)
ARTICLES = _words("the a an some any all of me us every each")
PRONOUNS = _words(
    "i you he she it we they me him her us them my your his its our their mine these those this that there one ones"
)
QUESTION_WORDS = _words("who whom whose what which when where why how")
REQUESTS = _words("name list give show find tell")
SHARING = _words("also together same share shares shared sharing co common fellow other another else")
"""Words by which a question goes back over a relation: "other works by the SAME author"."""

LIGHT_WORDS = PREPOSITIONS | _words(
    "has have had having is are was were be been being get gets got does do did a an the its of and or"
)
"""Words of a relation name that say nothing about what it relates."""

FUNCTION_WORDS = (
    AUXILIARIES
    | ARTICLES
    | PRONOUNS
    | QUESTION_WORDS
    | REQUESTS
    | SHARING
    | PREPOSITIONS
    | _words(
        "and or not no if than then so up out off down very much many few most more just only ever please "
        "both either s t d ll re ve world exactly"
    )
)
"""Words of a question that carry no meaning of their own."""

SUFFIXES = _words(
    "s es ed d ing ings er ers or ors e en ten tten ion ions tion tions ation ations ment ments ance ence al "
    "ive ity ies y ied ier iers ant ent age ess ist ists ship ships ian ians r rs"
)

COMMON_NOUNS = tuple(
    sorted(
        _words(
            "thing name word group part work life world house water food animal machine idea money school "
            "sound color plant tool body story game road family law war market letter number"
        )
    )
)
"""Nouns of no field in particular: what a relation is similar to anyway."""

PAST_VERBS = _words(
    "became began bore born bought broke brought built came caught chose did drew drove felt fought found gave "
    "got grew heard held kept knew laid led left lent lost made met paid played ran rose said sang sat saw "
    "sent sold spent spoke stood stole sung swam taught thought threw told took understood went won wore wrote "
    "written"
)
"""Past forms that do not end in "ed"."""

UNITS = _words("year date day month time number amount count total")
"""Words of a relation name that say in what it is given, where other words say what: "birth year"."""

_KIND = ("type", "style")
_DESCRIPTION = ("keyword", "label", "category")
DESCRIBING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("kind", "kinds", "sort", "sorts", "type", "types"), _KIND),
    **dict.fromkeys(("about", "describe", "describes", "described", "describing"), _DESCRIPTION),
    **dict.fromkeys(("word", "words", "term", "terms"), _DESCRIPTION),
}
"""Words by which questions ask for a kind or a description, with plain words for what they ask for."""
