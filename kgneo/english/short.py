"""Short forms of words in names of databases: "cust" for customer, "qty" for quantity.

They are those that style guides and data dictionaries list. A form that stands for several words is left out.
"""

from __future__ import annotations

from kgneo.english.names import name_words

FORMS = {
    "acct": "account", "acctg": "accounting", "addr": "address", "adj": "adjustment", "adm": "administration",
    "agmt": "agreement", "agt": "agent", "alloc": "allocation", "alt": "alternative", "amt": "amount",
    "appl": "application", "appt": "appointment", "apt": "apartment", "assoc": "association", "attr": "attribute",
    "auth": "authorisation", "avail": "available", "avg": "average", "bal": "balance", "beg": "begin",
    "bldg": "building", "calc": "calculated", "cat": "category", "cd": "code", "cert": "certificate", "chg": "charge",
    "chk": "check", "clm": "claim", "cmt": "comment", "cnt": "count", "comm": "commission", "comp": "company",
    "cond": "condition", "conf": "confirmation", "contr": "contract", "coord": "coordinator", "crs": "course",
    "ctr": "center", "ctry": "country", "cty": "city", "cur": "current", "curr": "currency", "cust": "customer",
    "dept": "department", "desc": "description", "descr": "description", "dest": "destination",
    "disc": "discount", "dist": "district", "div": "division", "dob": "date of birth", "doc": "document",
    "dscr": "description", "dt": "date", "dtl": "detail", "dur": "duration", "eff": "effective", "emp": "employee",
    "empl": "employee", "enrl": "enrolment", "equip": "equipment", "est": "estimated", "evt": "event", "exp": "expiry",
    "ext": "extension", "fac": "facility", "fin": "financial", "flt": "flight", "fname": "first name",
    "freq": "frequency", "gov": "government", "govt": "government", "grp": "group", "hdr": "header", "hgt": "height",
    "hist": "history", "hosp": "hospital", "hr": "hour", "hrs": "hours", "ident": "identifier", "inc": "income",
    "ind": "indicator", "info": "information", "ins": "insurance", "inst": "institution", "instr": "instructor",
    "inv": "invoice", "itm": "item", "lang": "language", "lat": "latitude", "lgth": "length", "lmt": "limit",
    "lname": "last name", "lng": "longitude", "loc": "location", "maint": "maintenance", "max": "maximum",
    "mbr": "member", "med": "medicine", "mfr": "manufacturer", "mgmt": "management", "mgr": "manager", "mid": "middle",
    "min": "minimum", "mkt": "market", "mo": "month", "mth": "month", "mtg": "meeting", "nbr": "number", "nm": "name",
    "no": "number", "num": "number", "occ": "occupation", "opt": "option", "ord": "order", "org": "organisation",
    "orig": "origin", "pct": "percentage", "perf": "performance", "ph": "phone", "pmt": "payment", "pol": "policy",
    "pos": "position", "pr": "price", "prc": "price", "prd": "product", "prj": "project", "proc": "process",
    "prod": "product", "prof": "professor", "prog": "program", "proj": "project", "prov": "province", "prty": "party",
    "ptnt": "patient", "purch": "purchase", "qty": "quantity", "rcpt": "receipt", "rec": "record", "ref": "reference",
    "reg": "region", "rel": "relationship", "rep": "representative", "req": "request", "res": "reservation",
    "resp": "response", "rev": "revenue", "rm": "room", "rpt": "report", "rslt": "result", "sal": "salary",
    "sch": "school", "sched": "schedule", "sec": "section", "sect": "section", "seq": "sequence", "sess": "session",
    "sfx": "suffix", "shp": "shipment", "sta": "station", "stat": "status", "std": "standard", "stk": "stock",
    "stn": "station", "stu": "student", "sub": "subject", "subj": "subject", "svc": "service", "tel": "telephone",
    "tm": "time", "tot": "total", "trans": "transaction", "trmt": "treatment", "txn": "transaction", "txt": "text",
    "typ": "type", "univ": "university", "util": "utility", "val": "value", "vend": "vendor", "ver": "version",
    "vol": "volume", "whse": "warehouse", "wt": "weight", "xfer": "transfer", "yr": "year", "yrs": "years",
    "zip": "postal code",
}  # fmt: skip


def long_name(name: str) -> str:
    """A name in whole words: "customer status code" of `CUST_STAT_CD`; empty where no word of it is a short form."""
    words = name_words(name)
    return " ".join(FORMS.get(word, word) for word in words) if any(word in FORMS for word in words) else ""
