"""Names that nobody bears, for invented graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

__all__ = ["make_name"]


def _words(text: str) -> list[str]:
    return text.split()


_FIRST = _words("""
Ada Aldo Amara Anselm Bela Bruno Carla Cyril Dara Davor Edda Emil Fatou Felix Greta Hamid Hana Ida Igor Ines
Ismael Ivo Jana Jory Kaito Karin Lena Leon Lila Luca Mara Mei Milo Nadia Nils Noor Olga Omar Otto Pilar Petra Quinn Rafe
Rhea Rosa Samir Selma Tariq Tilda Udo Uma Vera Viktor Wanda Wim Xenia Yara Yusuf Zeno Zita""")
_LAST = _words("""
Abara Almqvist Aster Banfi Barlow Bekele Brandt Calder Castellan Corvo Dahl Delgado Dorn Eklund Farkas Fenn
Galanis Grell Haddad Harrow Hollis Ilves Jansky Joffe Kahale Kestrel Kovar Lagrand Lindqvist Lorne Mabry Marchetti
Mistry Moravec Nakano Norell Oduya Okafor Orlov Pasko Pellgrew Quist Radley Ramsund Rossi Sandoval Sorel Szabo Tanaka
Thorne Ulvang Varga Vasquez Wexford Whitlock Yilmaz Zaric Zeller""")
_ADJECTIVES = _words("""
Last Quiet Broken Golden Empty Distant Burning Silent Northern Paper Hollow Second Hidden Little Long
Crooked Silver Sleeping Wild Patient Borrowed Blue Red White Winter Foreign Secret""")
_NOUNS = _words("""
Harbour Letter Orchard Bridge Mirror Garden Winter Lantern River Station Summer Wolf Promise Window Island
Candle Train Kitchen Shadow Road Ladder Clock Mountain Feather Tide Bargain Guest Voyage Meadow Tower Engine
Daughter Stranger Circus Harvest Map""")
_STARTS = _words("Bel Cor Dun Eas Fal Gren Hal Ister Jar Kel Lor Mar Nor Ost Pel Quar Ros Sel Tor Ul Ver Wes Yar Zan")
_TOWNS = _words("borough bridge ford ham haven holm mouth ova polis stad ton vale wick by grad")
_LANDS = _words("avia enia istan land mark onia ora ria uay a")
_BEASTS = _words("otter vole heron moth newt lynx finch bat")
_THINGS = _words("Valve Lamp Rotor Filter Kettle Press Cell Pump Loom Sensor Saw Mixer")


def make_name(kind: str, random: Random) -> str:
    """A name of the kind: person, title, place, land, company, year, …; KeyError for one that there is not."""
    return _MAKERS[kind](random)


def _person(random: Random) -> str:
    first, last = random.choice(_FIRST), random.choice(_LAST)
    middle = random.random()
    if middle < 0.08:
        return f"{first} {random.choice('ABCDEFGHJKLMNPRSTVW')}. {last}"
    if middle < 0.14:
        return f"{first} {random.choice(_FIRST)} {last}"
    if middle < 0.17:
        return f"{first} {last}-{random.choice(_LAST)}"
    if middle < 0.2:
        return f"{first} {last} Jr."
    return f"{first} {last}"


def _title(random: Random) -> str:
    adjective, noun, other = random.choice(_ADJECTIVES), random.choice(_NOUNS), random.choice(_NOUNS)
    person, place = random.choice(_FIRST), _place(random)
    forms = (
        f"The {adjective} {noun}", f"{adjective} {noun}", f"The {noun}", noun, f"{noun} of {place}",
        f"{person}'s {noun}",
        f"{person}", f"The {noun} and the {other}", f"A {noun} for {person}", f"{place}", f"No {noun}, No {other}",
        f"{random.randint(2, 99)} {plural_of(noun)}", f"The {noun} {random.choice(('II', 'Returns', '2', 'Again'))}",
        f"{noun}: {adjective} {other}", f"Who Took the {noun}", f"{person} & {random.choice(_FIRST)}",
        f"Goodbye, {person}",
    )  # fmt: skip
    return random.choice(forms)


def plural_of(noun: str) -> str:
    """The plural of one of the nouns of titles."""
    return f"{noun[:-1]}ies" if noun[-2:] in ("ry", "dy") else noun if noun.endswith("s") else f"{noun}s"


def _place(random: Random) -> str:
    name = random.choice(_STARTS) + random.choice(_TOWNS)
    chance = random.random()
    return f"{random.choice(('Port', 'New', 'Saint', 'Upper'))} {name}" if chance < 0.2 else name


def _company(random: Random) -> str:
    last = random.choice(_LAST)
    forms = (
        f"{last} & {random.choice(_LAST)}", f"{last} Works",
        f"{random.choice(_STARTS)}{random.choice(('tek', 'co', 'on', 'ix'))}",
        f"{random.choice(_ADJECTIVES)} {random.choice(_NOUNS)}", f"{last} Brothers",
        f"{_place(random)} Group", f"{last}",
    )  # fmt: skip
    return random.choice(forms)


_MAKERS: Mapping[str, Callable[[Random], str]] = {
    "person": _person,
    "title": _title,
    "place": _place,
    "company": _company,
    "land": lambda random: random.choice(_STARTS) + random.choice(_LANDS),
    "year": lambda random: str(random.randint(1890, 2024)),
    "award": lambda random: f"{random.choice((random.choice(_LAST), 'Golden ' + random.choice(_NOUNS)))} Prize",
    "band": lambda random: random.choice(
        (
            f"The {plural_of(random.choice(_NOUNS))}",
            f"{random.choice(_ADJECTIVES)} {random.choice(_NOUNS)}",
            _person(random),
        )
    ),
    "institute": lambda random: random.choice(("University of {}", "{} College", "{} Institute")).format(
        _place(random)
    ),
    "journal": lambda random: random.choice(("{} Letters", "Annals of {}", "{} Review")).format(
        random.choice(_NOUNS + _STARTS)
    ),
    "product": lambda random: (
        f"{random.choice(_STARTS)}{random.choice(('ol', 'an', 'ex', ' ' + random.choice(_THINGS)))}"
    ),
    "dish": lambda random: random.choice(("{} stew", "{} pie", "{} dumplings", "Grandmother's {}", "{} soup")).format(
        random.choice(_STARTS + _NOUNS)
    ),
    "inn": lambda random: f"The {random.choice(_ADJECTIVES)} {random.choice(_NOUNS)}",
    "building": lambda random: random.choice(("{} Hall", "{} House", "{} Tower", "Old {}", "{} Library")).format(
        random.choice(_LAST + _NOUNS)
    ),
    "package": lambda random: f"{random.choice(_NOUNS).lower()}{random.choice(('-core', 'lib', 'kit', '_utils', ''))}",
    "ticket": lambda random: f"#{random.randint(100, 9999)}",
    "animal": lambda random: f"{random.choice(_ADJECTIVES).lower()} {random.choice(_BEASTS)}",
    "plant": lambda random: (
        f"{random.choice(_ADJECTIVES).lower()} {random.choice(('sedge', 'thistle', 'orchid', 'fern', 'willow'))}"
    ),
    "ship": lambda random: random.choice(
        (f"{random.choice(_ADJECTIVES)} {random.choice(_NOUNS)}", f"{_place(random)} Star", random.choice(_FIRST))
    ),
    "route": lambda random: random.choice(
        (f"Line {random.randint(1, 60)}", f"{_place(random)} Railway", f"{random.choice(_ADJECTIVES)} Line")
    ),
}
