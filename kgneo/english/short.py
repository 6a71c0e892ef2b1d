"""Short forms of words in names of databases: "cust" for customer, "qty" for quantity.

They are those that style guides and data dictionaries list. A form that stands for several words is left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from kgneo.english.names import name_words

FORMS = {
    "acct": "account", "acctg": "accounting", "addr": "address", "adm": "administration", "agmt": "agreement",
    "agt": "agent", "alloc": "allocation", "alt": "alternative", "amt": "amount", "appl": "application",
    "appt": "appointment", "apt": "apartment", "asgn": "assign", "assoc": "association", "attr": "attribute",
    "auth": "authorisation", "avail": "available", "avg": "average", "bal": "balance", "bdgt": "budget", "beg": "begin",
    "bldg": "building", "calc": "calculated", "cat": "category", "cd": "code", "cert": "certificate", "chg": "charge",
    "chk": "check", "clm": "claim", "cmt": "comment", "cnt": "count", "comp": "company", "contr": "contract",
    "coord": "coordinator", "crs": "course", "cst": "cost", "ctr": "center", "ctry": "country", "cty": "city",
    "curr": "currency", "cust": "customer", "dept": "department", "desc": "description", "descr": "description",
    "dest": "destination", "div": "division", "dob": "date of birth", "doc": "document", "dscr": "description",
    "dt": "date", "dtl": "detail", "dur": "duration", "eff": "effective", "emp": "employee", "empl": "employee",
    "enrl": "enrolment", "equip": "equipment", "est": "estimated", "evt": "event", "fac": "facility",
    "fin": "financial", "flt": "flight", "fname": "first name", "freq": "frequency", "gov": "government",
    "govt": "government", "grp": "group", "hdr": "header", "hgt": "height", "hist": "history", "hosp": "hospital",
    "hr": "hour", "hrs": "hours", "ident": "identifier", "inc": "income", "ind": "indicator", "info": "information",
    "ins": "insurance", "inst": "institution", "instr": "instructor", "inv": "invoice", "itm": "item",
    "lang": "language", "lat": "latitude", "lgth": "length", "lmt": "limit", "lname": "last name", "lng": "longitude",
    "loc": "location", "maint": "maintenance", "max": "maximum", "mbr": "member", "med": "medicine",
    "mfr": "manufacturer", "mgmt": "management", "mgr": "manager", "mid": "middle", "min": "minimum", "mkt": "market",
    "mo": "month", "mtg": "meeting", "mth": "month", "nbr": "number", "nm": "name", "no": "number", "num": "number",
    "opt": "option", "ord": "order", "org": "organisation", "pct": "percentage", "ph": "phone", "pmt": "payment",
    "pol": "policy", "pos": "position", "pr": "price", "prc": "price", "prd": "product", "prio": "priority",
    "prj": "project", "proc": "process", "prod": "product", "prof": "professor", "proj": "project", "prty": "party",
    "ptnt": "patient", "purch": "purchase", "qty": "quantity", "rcpt": "receipt", "rec": "record", "ref": "reference",
    "rel": "relationship", "rep": "representative", "req": "request", "resp": "response", "rev": "revenue",
    "rm": "room", "rpt": "report", "rslt": "result", "sal": "salary", "sched": "schedule", "sec": "section",
    "sect": "section", "seq": "sequence", "sess": "session", "sfx": "suffix", "shp": "shipment", "sta": "station",
    "stat": "status", "std": "standard", "stk": "stock", "stn": "station", "stu": "student", "sub": "subject",
    "subj": "subject", "svc": "service", "tel": "telephone", "tm": "time", "tot": "total", "trmt": "treatment",
    "txn": "transaction", "txt": "text", "typ": "type", "univ": "university", "util": "utility", "val": "value",
    "vend": "vendor", "ver": "version", "vol": "volume", "whse": "warehouse", "wrk": "work", "wt": "weight",
    "xfer": "transfer", "yr": "year", "yrs": "years", "zip": "postal code",
}  # fmt: skip
WORDS = frozenset({
    "alt", "apt", "beg", "cat", "comp", "doc", "est", "fin", "inc", "info", "ins", "inst", "lat", "max", "med", "mid",
    "min", "mo", "no", "opt", "pol", "pos", "prof", "rec", "ref", "rel", "rep", "rev", "sec", "sect", "sub", "tot",
    "val", "vol", "zip",
})  # fmt: skip
"""Those that are words of their own as well: a cat, no, at the max."""
CLEAR = FORMS.keys() - WORDS
"""The others."""
FEWEST = 2
"""Short forms from which on a graph is one that shortens its words, those that are words of their own, too."""
SHORTEST = 3
"""Letters of a short form that is not listed."""
VOWELS = frozenset("aeiou")


def long_name(name: str) -> str:
    """A name in whole words: "customer status code" of `CUST_STAT_CD`; empty where no word of it is a short form."""
    return _long(name, FORMS)


def long_names(names: Iterable[str]) -> dict[str, str]:
    """The names of a graph that have short forms, in whole words. A short form that is a word of its own is one where
    others show that the graph shortens its words: "min" beside "sal" and "dept"."""
    every = list(names)
    used = {word for name in every for word in name_words(name)} & FORMS.keys()
    short = used if len(used & CLEAR) >= FEWEST else used & CLEAR
    return {name: long for name in every if (long := _long(name, short))} if short else {}


def short_words(names: Iterable[str]) -> dict[str, str]:
    """The short forms in names that are no words of their own, each with its word."""
    return {word: FORMS[word] for name in names for word in name_words(name) if word in CLEAR}


def _long(name: str, short: Container[str]) -> str:
    words = name_words(name)
    long = tuple(FORMS[word] if word in short else word for word in words)
    return " ".join(long) if long != words else ""


def is_short_of(form: str, word: str) -> bool:
    """Whether a form may be short for a word: its beginning ("ingr" of ingredient), or some of its consonants in their
    order behind its first letter ("bdgt" of budget), half of them at least."""
    if FORMS.get(form) == word:
        return True
    if len(form) < SHORTEST or len(word) <= len(form) or form[0] != word[0]:
        return False
    if word.startswith(form):
        return True
    own, whole = _consonants(form), _consonants(word)
    left = iter(whole)
    return len(own) >= SHORTEST and 2 * len(own) >= len(whole) and all(letter in left for letter in own)


def is_spoken(word: str) -> bool:
    """Whether a word has a vowel: "CST" is known to dictionaries as well, but as no word."""
    return not {*VOWELS, "y"}.isdisjoint(word)


def _consonants(word: str) -> str:
    """A word's first letter and the consonants behind it, double ones once."""
    told = word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
    return "".join(letter for at, letter in enumerate(told) if not at or letter != told[at - 1])
