"""Two generated hierarchies to measure with: assemblies of parts, and people who report to people.

Parts: (:Product|:Assembly)-[:HAS_PART {quantity}]->(:Assembly|:Part), about 25,000 relationships and no cycles; a
product is at level 0, the deepest parts at level 9; about 300 parts and assemblies are used in more than one place.
Staff: (:Person)-[:REPORTS_TO {since}]->(:Person), as many; four companies, everyone but the four heads has exactly one
boss; the longest chains have 9 steps. Names are unique within a graph, and the same seed always gives the same graph.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Made = tuple[list[Record], list[Record]]

PRODUCTS = [
    "Sorrel Tractor",
    "Kestrel Harvester",
    "Dunlin Ferry",
    "Marten Crane",
    "Juniper Loom",
    "Osprey Glider",
    "Bramble Press",
    "Tansy Turbine",
    "Curlew Tram",
    "Alder Excavator",
    "Plover Printer",
    "Rowan Lathe",
]
ASSEMBLIES = [
    "gearbox",
    "pump unit",
    "axle group",
    "control panel",
    "door frame",
    "drive train",
    "cooling loop",
    "lift arm",
    "wheel carrier",
    "seat block",
    "clutch set",
    "valve bank",
    "steering column",
    "lamp cluster",
    "brake caliper",
    "feed table",
    "hopper",
    "roller bed",
    "winch",
    "motor housing",
    "filter box",
    "cable tray",
    "throttle body",
    "hinge set",
    "latch unit",
]
PIECES = [
    "bolt",
    "washer",
    "bearing",
    "bushing",
    "spring",
    "gasket",
    "bracket",
    "shim",
    "sleeve",
    "pin",
    "clip",
    "rivet",
    "seal",
    "spacer",
    "hose",
    "fuse",
    "relay",
    "sensor",
    "plate",
    "rod",
    "cap",
    "flange",
    "nut",
    "spindle",
    "wedge",
    "cotter",
    "dowel",
    "grommet",
    "nozzle",
    "magnet",
]
SIDES = ["left", "right", "upper", "lower", "front", "rear", "inner", "outer", "main", "spare"]
KINDS = ["brass", "steel", "nylon", "copper", "rubber", "zinc", "ceramic", "bronze", "alloy", "felt"]
SUPPLIERS = ["Hobday & Lark", "Nordvik Metall", "Pemberton Works", "Sato Seimitsu", "Officine Brera", "Quill & Co"]

FIRST = """
Ada Agnes Albert Alma Amos Anders Anja Anton Asta Aubrey Barnaby Beatrix Bela Benno Berta Bianca Bjorn Blanca
Boris Brigid Bruno Calla Camilo Carmen Casper Cecily Chiara Clemens Clio Conrad Cora Cosmo Dagmar Damian Darya
Delia Desmond Dora Dorian Edda Edgar Edwin Eino Elspeth Elvira Emeka Emil Enid Enzo Erna Esme Ezra Fabian Farah
Felix Fenna Fergus Fiona Flora Florian Frida Fritz Gemma Gerda Gideon Giles Ginevra Greta Griffin Gunnar Gwen
Hakon Hamish Hanna Harriet Hector Hedda Helga Henrik Hester Hilda Horace Hugo Ida Ignaz Ilse Imogen Ines Ingrid
Iris Isidor Ivo Ivy Jadwiga Jasper Joan Joel Jonas Josefa Judith Julius Juno Kamil Karin Kaspar Kenji Klara Knut
Lambert Lars Laszlo Leila Leopold Levi Lilian Linus Lorenz Lotte Lucian Ludmila Lydia Mabel Magnus Maida Malcolm
Marcel Maren Marius Matilda Maud Mei Milo Mina Miriam Mirko Moritz Myra Nadia Nestor Nils Nora Norbert Odette
Olaf Olga Omar Oona Orson Oskar Otilia Otto Pablo Paloma Pavel Petra Philippa Pia Quentin Rafaela Ragna Ralph
Ramona Regina Remy Rhoda Roland Rosalind Rufus
""".split()  # noqa: SIM905 - a list of 168 words
LAST = """
Abbot Acker Adair Aldous Alvord Amsel Applegate Arkwright Ashdown Atwater Bagshaw Bancroft Barlow Barrow Beckett
Bellamy Birch Blackwood Bloch Bodley Bracken Bramwell Brennan Brock Buckley Burrows Cairns Calder Carew Carver
Chandler Chilton Clough Colby Cooper Corwin Cotter Crane Crowther Dacre Dalby Danvers Dashwood Deacon Denby
Dorset Draper Drummond Dunmore Eastlake Eccles Edgerton Elkins Ellery Emsley Everard Fairley Farrow Fenwick
Finch Fletcher Forsyth Foxton Gadsby Garrick Gilroy Glover Goddard Gorman Gower Granger Greaves Gresham Grove
Hadley Halsey Hargrove Harlow Haskell Hatcher Hawley Heath Hendry Hobson Holt Horner Huxley Ibsen Ingham Ives
Jardine Jarrow Jessop Joyner Kemble Kerrigan Kettle Kilburn Kimball Knowles Lachlan Lambourn Langley Latham
Lawley Leland Lindqvist Lockyer Lovell Lyle Maddox Mallory Marlow Mather Mercer Merriman Millard Monk Moresby
Mowbray Nairn Napier Naylor Nesbit Newbold Norcross Oakley Ogden Oldfield Ormond Osgood Paget Palgrave Parrish
Paxton Pelham Penrose Pickett Pomeroy Prescott Quarles Quigley Radley Ransome Rawlins Redfern Ridley Rookwood
Rowe Ruskin Rydal Salter Saxby Scrope Selwyn Severn Shackle Sheldon Skelton Snell Sorrell Stainer Standish
Stoddard Sumner Swift Talbot Tanner Tarrant Thorne Tilney Tremaine Trott Turnbull Tuttle Underhill Upton Vane
Varley Vickers Wadham Wakefield Waldron Warwick Weldon Whitby Wickham Wilder Winslow Wolcott Wragg Wyndham
Yardley Yates Yorke
""".split()  # noqa: SIM905 - a list of 195 words
COMPANIES = ["Hollin Freight", "Merrow Shipping", "Tamar Textiles", "Ostrava Glass"]
PLACES = ["Bergen", "Ghent", "Leith", "Trieste", "Porto", "Gdynia", "Cork", "Malmo", "Rouen", "Bremen"]
TITLES = [
    "head",
    "director",
    "division lead",
    "area manager",
    "section manager",
    "team manager",
    "supervisor",
    "senior clerk",
    "clerk",
    "trainee",
]


def parts(seed: int = 11, size: int = 24_600, shared: int = 400) -> Made:  # noqa: C901 - draws in one order
    """Nodes and relationships of products, assemblies and parts."""
    rnd = random.Random(seed)  # noqa: S311 - nothing secret
    nodes: list[Record] = []
    rels: list[Record] = []
    level: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    number: dict[str, int] = {}

    def add(label: str, name: str, depth: int) -> int:
        i = len(nodes)
        node: Record = {"id": i, "label": label, "name": name}
        if label == "Product":
            node["introduced"] = rnd.randint(1988, 2024)
        elif label == "Assembly":
            node["hours_to_build"] = round(rnd.uniform(0.2, 40), 1)
        else:
            node["weight_grams"] = rnd.randint(1, 4000)
            node["supplier"] = rnd.choice(SUPPLIERS)
        nodes.append(node)
        level[i] = depth
        children[i] = []
        return i

    def fresh(label: str, depth: int) -> int:
        if label == "Assembly":
            noun = rnd.choice(SIDES) + " " + rnd.choice(ASSEMBLIES)
        else:
            noun = rnd.choice(KINDS) + " " + rnd.choice(PIECES)
        number[noun] = number.get(noun, 0) + rnd.randint(1, 4)
        return add(label, f"{noun} {number[noun]}", depth)

    def join(a: int, b: int) -> None:
        rels.append({"start": a, "end": b, "type": "HAS_PART", "quantity": rnd.choice([1, 1, 1, 2, 2, 3, 4, 6, 8])})
        children[a].append(b)

    # share of the children of a thing at this level that are assemblies themselves
    share = [0.9, 0.6, 0.5, 0.42, 0.36, 0.3, 0.0]
    queue = [add("Product", p, 0) for p in PRODUCTS]
    at = 0
    while at < len(queue) and len(rels) + 2 * (len(queue) - at) < size - 100:
        a = queue[at]
        at += 1
        d = level[a]
        for _ in range(rnd.randint(7, 11) if d == 0 else rnd.randint(3, 7)):
            b = fresh("Assembly" if rnd.random() < share[d] else "Part", d + 1)
            join(a, b)
            if nodes[b]["label"] == "Assembly":
                queue.append(b)
    # assemblies left without parts become plain ones of two parts each
    for a in queue[at:]:
        for _ in range(2):
            join(a, fresh("Part", level[a] + 1))
    # long chains: assembly in assembly down to level 9
    deep = [n["id"] for n in nodes if n["label"] == "Assembly" and level[n["id"]] == 5]
    for a in rnd.sample(deep, 12):
        while level[a] < 8:
            b = fresh("Assembly", level[a] + 1)
            join(a, b)
            join(a, fresh("Part", level[a] + 1))
            a = b
        join(a, fresh("Part", 9))
    # shared: parts and small assemblies used in a second place at the same or a lesser depth (so no cycles)
    pool = [n["id"] for n in nodes if n["label"] == "Part" and level[n["id"]] >= 4]
    pool += [n["id"] for n in nodes if n["label"] == "Assembly" and level[n["id"]] >= 6]
    users = [n["id"] for n in nodes if n["label"] == "Assembly"]
    made = 0
    while made < shared:
        b, a = rnd.choice(pool[: len(pool) // 20]) if made % 4 else rnd.choice(pool), rnd.choice(users)
        if level[a] < level[b] and b not in children[a]:
            join(a, b)
            made += 1
    return nodes, rels


def staff(seed: int = 12, size: int = 25_000) -> Made:
    """Nodes and relationships of people in four companies."""
    rnd = random.Random(seed)  # noqa: S311 - nothing secret
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    rnd.shuffle(names)
    nodes: list[Record] = []
    rels: list[Record] = []
    level: dict[int, int] = {}

    def add(depth: int, company: str) -> int:
        i = len(nodes)
        nodes.append(
            {
                "id": i,
                "label": "Person",
                "name": names[i],
                "title": TITLES[depth],
                "company": company,
                "place": rnd.choice(PLACES),
                "salary": 10 * rnd.randint(2400, 5200) + 9000 * (9 - depth),
            }
        )
        level[i] = depth
        return i

    def join(person: int, boss: int) -> None:
        rels.append({"start": person, "end": boss, "type": "REPORTS_TO", "since": rnd.randint(1995, 2024)})

    queue = [add(0, c) for c in COMPANIES]
    at = 0
    # the deeper, the fewer lead others
    leads = [1, 1, 0.8, 0.7, 0.55, 0.5, 0.45, 0.0]
    while at < len(queue) and len(rels) < size - 150:
        boss = queue[at]
        at += 1
        d = level[boss]
        for _ in range(rnd.randint(5, 9) if d < 3 else rnd.randint(3, 6)):
            p = add(d + 1, nodes[boss]["company"])
            join(p, boss)
            if d + 1 < 7 and rnd.random() < leads[d + 1]:
                queue.append(p)
    # long chains down to level 9
    low = [n["id"] for n in nodes if level[n["id"]] == 5]
    for boss in rnd.sample(low, 15):
        while level[boss] < 9:
            p = add(level[boss] + 1, nodes[boss]["company"])
            join(p, boss)
            if level[boss] < 7 and rnd.random() < 0.7:
                join(add(level[boss] + 1, nodes[boss]["company"]), boss)
            boss = p
    return nodes, rels


MADE: Mapping[str, Callable[[], Made]] = {"parts": parts, "staff": staff}
"""The hierarchies by name."""


def write(folder: Path, nodes: list[Record], rels: list[Record]) -> None:
    """As CSV files with neo4j-admin's headers."""
    folder.mkdir(parents=True, exist_ok=True)
    for label in sorted({node["label"] for node in nodes}):
        rows = [node for node in nodes if node["label"] == label]
        keys = [key for key in rows[0] if key not in ("id", "label")]
        with (folder / f"{label}.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow([":ID", *(key + _kind(rows[0][key]) for key in keys), ":LABEL"])
            out.writerows([row["id"], *(row[key] for key in keys), label] for row in rows)
    keys = [key for key in rels[0] if key not in ("start", "end", "type")]
    with (folder / f"{rels[0]['type']}.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([":START_ID", ":END_ID", ":TYPE", *(f"{key}:long" for key in keys)])
        out.writerows([row["start"], row["end"], row["type"], *(row[key] for key in keys)] for row in rels)


def _kind(value: object) -> str:
    return ":long" if isinstance(value, int) else ":double" if isinstance(value, float) else ""
