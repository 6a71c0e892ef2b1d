"""Closed classes of English: function words, question words, suffixes. No word of any field is in here."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text with blanks between them: a closed class as it is written here."""
    return frozenset(text.split())


PREPOSITIONS = word_set(
    "of in on at by for to from with into onto through as about under over within after before across between among "
    "amongst"
)
AUXILIARIES = word_set(
    "is are was were be been being am do does did done has have had having can could will would shall should "
    "may might must"
)
ARTICLES = word_set("the a an some any all of me us every each")
PRONOUNS = word_set(
    "i you he she it we they me him her us them my your his its our their mine these those this that there one ones"
)
POINTERS = word_set("that this those these")
"""Those of them that stand before a noun."""
OWNING = word_set("my your his its our their")
"""Those that say whose a noun is."""
POSSESSIVES = OWNING | {"her", "whose"}
"""Words for whose something is."""
POSSESSING = word_set("own owns owned owner has have possesses belongs")
"""Words in the names of relationship types by which something is whose it is."""
QUESTION_WORDS = word_set("who whom whose what which when where why how")
REQUESTS = word_set("name list give show find tell")
ASKING = REQUESTS | word_set(
    "identify provide return retrieve get fetch display enumerate state determine specify report rank sort arrange"
)
"""Verbs by which something is asked for, at the beginning of a question."""
WANTING = word_set("looking look want need like know wondering curious interested searching trying find wish")
"""Verbs by which people begin who say what they are after: "I'm LOOKING for", "I would LIKE to KNOW"."""
SHARING = word_set("also together same share shares shared sharing co common fellow other another else")
"""Words by which a question goes back over a relation: "other works by the SAME author"."""
SHARED = word_set("same share shares shared sharing")
"""Those of them behind which a noun says what two have in common."""

LIGHT_WORDS = PREPOSITIONS | word_set(
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
    | word_set(
        "and or but not no if because than then so yet already up out off down very much many few most more just only "
        "ever please both either s t d ll re ve world still currently exactly percent mr mrs ms dr prof himself "
        "herself itself themselves"
    )
)
"""Words of a question that carry no meaning of their own."""

LIGHT_VERBS = word_set(
    "came come comes coming appear appears appeared appearing belong belongs belonged feature features featured "
    "featuring include includes included including involve involves involved contain contains contained associated "
    "connected related linked known found located situated based lies part made become became becomes get gets got "
    "go goes went"
)
"""Verbs that join two things without saying how."""
PLAIN_VERBS = LIGHT_VERBS | word_set(
    "live lives lived living run runs ran running use uses used using take takes took taken taking hold holds held "
    "holding leave leaves left leaving"
)
"""Verbs that say so little by themselves that a reading need not say them."""

COPULAS = word_set("is was are were be been being became becomes become remains remained as")
"""Words by which something is said to be something."""
ANYBODY = word_set(
    "somebody someone anybody anyone something anything nobody nothing somewhere anywhere people persons"
)
"""Words for things without a name."""
UNNAMED = ANYBODY | {"others"}
"""The same with those for things that are only not the one that was spoken of."""
SAID_OF = word_set(
    "is are was has have can may must only allowed permitted required needed available enabled supported included "
    "offered accepted possible"
)
"""Words of properties that are true or false, beside those for what it is that there is, may or must be: `has_roof`."""
INDEFINITE = word_set("a an some another any several many various two three different certain one")
"""Words before a noun for a thing without a name."""
RELATIVES = word_set("which who whom that whose where when")
"""Words that begin a relative clause."""
ACTING = word_set("which who that")
"""Those of them for who does what the clause says."""
PERFECT = word_set("have has had having")
"""Auxiliaries before what somebody did: "has ACTED"."""
BEING = word_set("is are was were be been being")
"""Auxiliaries before what is done to somebody: "were CALLED"."""

SUFFIXES = word_set(
    "s es ed d ing ings er ers or ors e en ten tten ion ions tion tions ation ations ment ments ance ence al "
    "ive ity ies y ied ier iers ant ent age ess ist ists ship ships ian ians r rs able"
)

_NAMES_END = ("", "a", "e", "o", "y", "ia", "ey", "um", "s")
ENDINGS_OF_NAMES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("ian", "ean", "an", "n", "ese", "i"), _NAMES_END),
    "ish": (*_NAMES_END, "en", "and", "land"),
    "ine": ("ina",),
    "": ("y", "land"),
}
"""Endings of words that are made of names, with those that the names have in their place: "Swedish" of Sweden."""

COMMON_NOUNS = tuple(
    sorted(
        word_set(
            "thing name word group part work life world house water food animal machine idea money school "
            "sound color plant tool body story game road family law war market letter number"
        )
    )
)
"""Nouns of no field in particular: what a relation is similar to anyway."""

_IRREGULAR_VERBS = """
bear bore born, become became, begin began begun, break broke broken, bring brought, build built, buy bought,
catch caught, choose chose chosen, come came, do did done, draw drew drawn, drive drove driven, fall fell fallen,
feel felt, fight fought, find found, fly flew flown, get got, give gave given, go went gone, grow grew grown,
hear heard, hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, leave left, lend lent,
lose lost, make made, meet met, pay paid, ride rode ridden, rise rose risen, run ran, say said, see saw seen,
sell sold, send sent, show shown, sing sang sung, sit sat, speak spoke spoken, spend spent, stand stood,
steal stole stolen, swim swam swum, take took taken, teach taught, tell told, think thought, throw threw thrown,
understand understood, wear wore worn, win won, write wrote written
"""
BASES = {form: base for base, *forms in (verb.split() for verb in _IRREGULAR_VERBS.split(",")) for form in forms}
"""Past forms and participles that follow no rule, with the verbs that they are of: "won" of "win"."""
PAST_VERBS = frozenset(BASES)
"""Past forms and participles that do not end in "ed"."""
VERB_PREFIXES = word_set("fore mis out over re under up with")
"""Beginnings of verbs before others: "overseen", "rebuilt"."""

UNITS = word_set("year date day month time number amount count total")
"""Words of a relation name that say in what it is given, where other words say what: "birth year"."""

_KIND = ("type", "style")
_DESCRIPTION = ("keyword", "label", "category")
DESCRIBING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("kind", "kinds", "sort", "sorts", "type", "types"), _KIND),
    **dict.fromkeys(("about", "describe", "describes", "described", "describing"), _DESCRIPTION),
    **dict.fromkeys(("word", "words", "term", "terms"), _DESCRIPTION),
}
"""Words by which questions ask for a kind or a description, with plain words for what they ask for."""

MEASURES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("long", "longer", "longest", "short", "shorter", "shortest"),
                    ("length", "duration", "runtime")),
    **dict.fromkeys(("high", "higher", "highest", "low", "lower", "lowest"), ("height", "elevation", "level")),
    **dict.fromkeys(("tall", "taller", "tallest"), ("height",)),
    **dict.fromkeys(("deep", "deeper", "deepest"), ("depth",)),
    **dict.fromkeys(("wide", "wider", "widest", "broad", "narrow", "narrowest"), ("width",)),
    **dict.fromkeys(("heavy", "heavier", "heaviest", "light", "lighter", "lightest"), ("weight", "mass")),
    **dict.fromkeys(("fast", "faster", "fastest", "slow", "slower", "slowest"), ("speed",)),
    **dict.fromkeys(("far", "farther", "farthest", "further", "furthest"), ("distance",)),
    **dict.fromkeys(
        ("expensive", "cheap", "cheaper", "cheapest", "costly", "dearest", "costliest", "pricey", "priciest"),
        ("price", "cost"),
    ),
    **dict.fromkeys(
        ("old", "older", "oldest", "eldest", "young", "younger", "youngest"),
        ("age", "birth date", "year", "founded", "built"),
    ),
    **dict.fromkeys(
        ("new", "newer", "newest", "recent", "recently", "latest", "earliest", "late", "early", "later", "earlier",
         "last", "first", "when"),
        ("date", "year"),
    ),
    **dict.fromkeys(
        ("big", "bigger", "biggest", "large", "larger", "largest", "small", "smaller", "smallest", "great", "greatest"),
        ("size", "area"),
    ),
    "size": ("size", "area"),
    **dict.fromkeys(("populous", "populated", "inhabitants", "citizens", "residents"), ("population",)),
    **dict.fromkeys(("rich", "richer", "richest", "wealthy", "poor", "poorest"), ("wealth", "income")),
    **dict.fromkeys(("dense", "densest", "sparse", "sparsest"), ("density",)),
    **dict.fromkeys(("hot", "hotter", "hottest", "cold", "colder", "coldest", "warm", "warmest"), ("temperature",)),
}  # fmt: skip
"""Words of dimension with the nouns for what they measure."""

OF_SIZE = frozenset(word for word, nouns in MEASURES.items() if "size" in nouns)
"""Words of dimension that can speak of any number: "large", "small"."""
SIZES = word_set(
    "length duration runtime height elevation level depth width weight mass speed distance price cost size area "
    "population wealth income density temperature number amount count quantity total id code salary pay capacity "
    "budget revenue profit rating score points power attendance altitude volume value worth seats"
)
"""Nouns for what has a size, or for a number that says none, of whose values years cannot be told."""

RATES: dict[str, set[str]] = {
    "hour": {"hourly"},
    "day": {"daily"},
    "week": {"weekly"},
    "month": {"monthly"},
    "year": {"yearly", "annual"},
}
"""Units of time with the adjectives for what there is of something in each."""
RATING = word_set("per each every a an")
"""Words before such a unit."""

NUMERALS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "dozen": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
}  # fmt: skip
"""Numbers in words."""
ONCE = {"once": "1", "twice": "2", "thrice": "3"}
"""Adverbs of how often something is done, as numbers."""
RETURNING = word_set("they he she it themselves himself herself itself")
"""Words for what was spoken of, which says something more: "orders that THEY entered THEMSELVES"."""
PEOPLE = word_set(
    "who whom whose person persons people individual individuals someone somebody anyone anybody everyone everybody "
    "man men woman women guy guys girl girls boy boys folks"
)
"""Words for people of any kind."""
MEMBERS = word_set("member members")
"""Words for the people whom a graph is about, where none of its names says so."""
JOINING = word_set("and but nor or both also")
"""Words between two things that are named side by side."""
NEGATIONS = word_set(
    "not no never without neither nor none nobody nothing nowhere cannot lack lacks lacking excluding except besides "
    "outside isn aren doesn don didn wasn weren hasn haven hadn"
)
PRESENCE = PERFECT | NEGATIONS | word_set("with any missing still yet")
"""Words without which nobody asks whether a property is there."""
REASONS = word_set(
    "why reason reasons cause causes caused because motive motives explanation purpose rationale grounds"
)
"""Words for what makes something so."""
EACH = word_set("every each all")
"""Words for all of a kind."""
ONLY = word_set("only just solely exclusively merely")
"""Words for that and nothing else."""
EXCEPTING = word_set("except excluding besides")
"""Those of them that take out nothing but what is named behind them."""
NOBODY = word_set("nobody nothing none nowhere")
"""Those of them that stand where a thing is named."""
EXTREMES: dict[str, bool] = {
    **dict.fromkeys(
        word_set(
            "first earliest oldest eldest smallest least lowest shortest cheapest lightest fewest slowest minimum "
            "nearest closest weakest poorest narrowest coldest tiniest minimal sparsest thinnest rarest quietest "
            "scarcest softest worst"
        ),
        False,
    ),
    **dict.fromkeys(
        word_set(
            "last latest newest youngest recent recently biggest largest greatest most highest tallest longest "
            "heaviest fastest maximum top farthest furthest deepest widest richest hottest strongest maximal densest "
            "priciest costliest dearest wealthiest busiest steepest thickest broadest hardest brightest loudest "
            "warmest best finest"
        ),
        True,
    ),
}
"""Words for extremes, and whether they mean the end of the order; words of age speak of dates."""
COMPARING = {word.removesuffix("st") + "r": word for word in EXTREMES
             if word.endswith("est") and word not in ("eldest", "furthest")}  # fmt: skip
"""The comparative of each superlative: "dearer" of "dearest", but neither elders nor what is further."""
COMPARATIVES: dict[str, bool] = {
    **{word: EXTREMES[most] for word, most in COMPARING.items()},
    **dict.fromkeys(("worse", "less", "sooner"), False),
    **dict.fromkeys(("better", "more"), True),
}
"""Words that compare, and whether they mean the greater value; words of age speak of dates."""
MEASURES |= {word: MEASURES[most] for word, most in COMPARING.items() if most in MEASURES and word not in MEASURES}
AGES = word_set("older younger newer oldest eldest youngest newest")
"""Those of both that say the opposite where the value is a number: an age, a mileage."""
OFTEN_MISTYPED = word_set(
    "between difference average percentage number highest lowest largest smallest greatest longest shortest oldest "
    "youngest cheapest latest earliest together without before"
)
"""Words that a question's form hangs on, and that are long enough to be known with a letter wrong."""
BOUNDS: tuple[tuple[str, str], ...] = (
    ("no later than", "<="),
    ("not later than", "<="),
    ("no more than", "<="),
    ("not more than", "<="),
    ("at most", "<="),
    ("up to", "<="),
    ("until", "<="),
    ("till", "<="),
    ("no earlier than", ">="),
    ("not earlier than", ">="),
    ("not before", ">="),
    ("no less than", ">="),
    ("not less than", ">="),
    ("no fewer than", ">="),
    ("not fewer than", ">="),
    ("at least", ">="),
    ("starting from", ">="),
    ("since", ">="),
    ("before", "<"),
    ("prior to", "<"),
    ("under", "<"),
    ("below", "<"),
    ("after", ">"),
    ("over", ">"),
    ("above", ">"),
    ("exceeding", ">"),
    ("exactly", "="),
    ("only", "="),
    ("just", "="),
)
"""Words before a number or a date that bound it; where one is the end of another, the longer comes first."""
APPROXIMATE = word_set("about around nearly almost approximately roughly circa")
"""Words before a number or a date that leave it open how much it is."""
BEGINNINGS = word_set("start beginning")
ENDS = word_set("end close")
"""Nouns for where a year or a month begins, and where it ends."""
QUANTITIES = word_set("count counted quantity qty units number copies pieces items")
"""Words of the names of properties that hold how many of something it is."""
OPENING = word_set("open opens opened start starts started begin begins began since")
CLOSING = word_set(
    "close closes closed end ends ended until till finish finishes finished expire expires expired stop stopped"
)
"""Words of questions for where a period begins, and where it ends."""
PERIODS = (
    word_set("from since start started begin began open opened first joined"),
    word_set("to until till end ended finish finished stop close closed last left"),
)
"""Words of the names of two properties that hold where a period begins, and where it ends: "valid_from", "valid_to"."""
ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "tenth": 10}
"""Places in an order."""
RECIPROCAL = word_set(
    "know knows friend friends married spouse sibling siblings brother sister cousin neighbour neighbor neighbours "
    "border borders adjacent family relative related colleague colleagues met meets connected linked partner similar "
    "twin acquainted acquaintance lives roommate housemate"
)
"""Words for relations that hold both ways."""
FELLOWS = word_set(
    "friend sibling brother sister cousin neighbour neighbor relative colleague acquaintance roommate housemate "
    "flatmate twin spouse"
)
"""Nouns for what stands to another of its kind in a relation that holds both ways."""
BIRTH = word_set("birth born birthday birthdate dob")
"""Words in the names of properties that say when somebody was born."""
PERSONAL = word_set("surname forename firstname lastname birth born birthday birthdate gender nationality")
"""Words of properties that people have."""
IDENTIFYING = word_set("id identifier no nr number num code key")
"""Last words of the names of properties that tell things apart, and measure nothing."""
WHEREABOUTS = word_set("place location city town country address region state area venue site street")
"""Last words of the names of properties that say where something is."""
RECEIVING = word_set("receive receives received receiving get gets got getting incoming")
HAPPENING = word_set("happen happens happened happening occur occurs occurred occurring")
TAKING_PLACE = word_set("take takes took taken taking")
"""Words before "place" for the same: "took place"."""
GROUPING = word_set("per each every")
"""Words before what a number is asked for each of."""
PARTING = word_set("grouped split divided sorted broken down separated listed ordered ranked counted summed averaged")
"""Words behind which "by" says what groups are made by."""
DOING = word_set("do does did have has had")
"""Auxiliaries behind which stands who does something."""
FINITE = DOING | word_set("is are was were")
"""Auxiliaries that can be the main verb of a question."""
PLACES = word_set("rank ranking ranks place placing standing position")
"""Nouns for a number whose least is the best."""
FREQUENTLY = word_set("frequently commonly regularly repeatedly")
"""Adverbs that count."""
COMMON = word_set("common frequent usual typical popular prevalent")
"""Adjectives that count: the most COMMON colour."""
AMOUNTS = word_set("number amount count quantity total")
"""Nouns behind which "of" says what there is so much of."""
UNITS_OF_MEASURE = word_set(
    "km m cm mm mi miles ft feet km2 m2 sqm sqkm ha hectares acres kg g mg lb lbs tons tonnes l ml hours hrs minutes "
    "mins seconds secs ms days weeks months years thousand thousands million millions billion billions eur usd gbp "
    "euros dollars percent pct celsius w kw mw gw kwh mwh v kv kb mb gb tb"
)
"""Words of a property's name that say in what it is given, behind those that say what it is: "areaKm2"."""
POINTING_BACK = word_set("them they ones so that those it")
ECHOING = POINTING_BACK | word_set(
    "please list name tell give show me us which what who and if are is was would be can could you one all names out"
)
"""Words by which what was asked is asked for once more: "please list THEM", "if SO, which ONES"."""
MISTYPED = {
    "wich": "which", "whch": "which", "whcih": "which", "wht": "what", "waht": "what", "hwat": "what", "wat": "what",
    "hwo": "how", "woh": "who", "whre": "where", "wehre": "where", "wehn": "when", "whn": "when", "teh": "the",
    "adn": "and", "taht": "that", "thier": "their", "fo": "of", "ot": "to",
}  # fmt: skip
"""Short words of a question's form as they are mistyped."""
_PARTICLES = {
    "out": {"come": "released", "comes": "released", "came": "released", "coming": "released", "carry": "performed",
            "carries": "performed", "carried": "performed"},
    "up": {"sign": "joined", "signs": "joined", "signed": "joined", "set": "founded", "turn": "attended",
           "turned": "attended", "show": "attended", "showed": "attended"},
    "into": {"look": "investigated", "looks": "investigated", "looked": "investigated", "looking": "investigated"},
    "off": {"call": "cancelled", "called": "cancelled"},
    "away": {"pass": "died", "passed": "died"},
    "from": {"come": "are", "comes": "is", "came": "were", "coming": "being", "hail": "are", "hails": "is"},
}  # fmt: skip
PHRASAL = {(verb, particle): word for particle, verbs in _PARTICLES.items() for verb, word in verbs.items()}
PHRASAL |= {("apart", "from"): "except", ("aside", "from"): "except"}
"""Verbs that mean something else with a word behind them, by the verb that they mean: "CAME OUT in 2010"."""
PARTICLES = word_set("out up in off on over down away back through")
"""Words behind a verb that make one word with it: "TRIED OUT" for a tryout."""
MALE = word_set("men man male males gentlemen boy boys guys")
FEMALE = word_set("women woman female females ladies girl girls")
SEXES = {**dict.fromkeys(MALE, ("m", "male", "man")), **dict.fromkeys(FEMALE, ("f", "w", "female", "woman"))}
"""What a property for the sex of people may hold, by the words for such people."""
PASSING = word_set("pass passes passed elapse elapsed lie lies lay go goes went gone")
"""What time does between two dates."""
SUMMING = word_set("combined altogether")
"""Words by which all numbers are added up."""
DONE = word_set("given done made sent had")
"""Participles that say of something no more than that it is done."""
GIVING = word_set(
    "send sends sent sending give gives gave giving make makes made making place placed places placing outgoing from"
)
"""Words for who something goes to and for whom it comes from, where a graph has both."""
SAME_NAMES: dict[str, str] = {
    **dict.fromkeys(("last name", "family name", "lastname", "familyname", "surnamed"), "surname"),
    **dict.fromkeys(("first name", "given name", "firstname", "givenname", "forename", "called", "named"), "name"),
    **dict.fromkeys(("no", "nr", "num", "numbers"), "number"),
    **dict.fromkeys(("tel", "telephone"), "phone"),
    "reg": "registration",
    "desc": "description",
    "qty": "quantity",
    "dob": "birthday",
    "id": "identifier",
    "min": "minimum",
    "max": "maximum",
    "avg": "average",
    "amt": "amount",
    "pct": "percentage",
}
"""Words of property names that people say otherwise."""
CLAUSES = word_set("which that who whom whose where through in by for at to from with")
"""Words behind which something else is spoken of."""

IRREGULAR_PLURALS = {
    "person": "people", "child": "children", "woman": "women", "man": "men", "wife": "wives", "life": "lives",
    "knife": "knives", "leaf": "leaves", "half": "halves", "wolf": "wolves", "shelf": "shelves", "thief": "thieves",
    "foot": "feet", "tooth": "teeth", "goose": "geese", "mouse": "mice", "series": "series", "species": "species",
    "analysis": "analyses", "crisis": "crises", "thesis": "theses", "criterion": "criteria",
    "phenomenon": "phenomena", "medium": "media", "index": "indices", "matrix": "matrices", "vertex": "vertices",
}  # fmt: skip
"""Plurals that follow no rule."""
NOUNS_IN_IE = word_set(
    "movie cookie zombie calorie prairie genie brownie selfie rookie hoodie smoothie birdie tie pie lie sortie goalie "
    "junkie veggie foodie newbie freebie magpie menagerie coterie brasserie patisserie boogie caddie bookie hippie "
    "groupie auntie sweetie goodie budgie talkie indie collie laddie lassie"
)
"""Nouns whose plural in "ies" is none of a noun in "y"."""
NAMING = word_set("named called surnamed having with whose is name")
"""Words between a thing and its name."""

_ENDS = (
    ("parent", "child"), ("father", "child"), ("mother", "child"), ("ancestor", "descendant"),
    ("predecessor", "successor"), ("employer", "employee"), ("teacher", "student"), ("teacher", "pupil"),
    ("mentor", "mentee"), ("tutor", "tutee"), ("supervisor", "subordinate"), ("boss", "subordinate"),
    ("manager", "subordinate"), ("buyer", "seller"), ("lender", "borrower"), ("landlord", "tenant"),
    ("leader", "follower"), ("winner", "loser"), ("host", "guest"), ("sender", "recipient"), ("sender", "receiver"),
    ("whole", "part"), ("doctor", "patient"), ("master", "apprentice"), ("owner", "belonging"),
)  # fmt: skip
OTHER_ENDS: dict[str, frozenset[str]] = {
    word: frozenset({*(two for one, two in _ENDS if one == word), *(one for one, two in _ENDS if two == word)})
    for word in {word for pair in _ENDS for word in pair}
}
"""Nouns for one end of a relationship, with those for its other end: the CHILDREN of X are those whose parent X is."""
